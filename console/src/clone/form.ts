import type { Feature } from '../features/queries.ts';
import type { CloneRequest } from './queries.ts';

/** The input of the user. */
export type CloneForm = {
  name: string;
  project: string;
  include: Part[];
  /** Target of each environment of the source that the user changed. Empty: not copied. */
  targets: Record<string, string>;
  replaceGroupId: boolean;
};
export type Part = NonNullable<CloneRequest['include']>[number];

export const PARTS: readonly { part: Part; label: string; count(source: Feature): number }[] = [
  {
    part: 'strategies',
    label: 'Strategies with their variants',
    count: source => sum(source, one => one.strategies.length),
  },
  {
    part: 'variants',
    label: 'Variants of environments',
    count: source => sum(source, one => one.variants.length),
  },
  { part: 'tags', label: 'Tags', count: source => source.tags.length },
  { part: 'dependencies', label: 'Parents', count: source => source.dependencies.length },
];

const sum = (source: Feature, count: (one: Feature['environments'][number]) => number): number =>
  source.environments.reduce((total, one) => total + count(one), 0);

export const MAX_NAME = 100;
const SUFFIX = '-copy';

/** The name that the form proposes. A long name is shortened to make room for the suffix. */
export const copyNameOf = (name: string): string => name.slice(0, MAX_NAME - SUFFIX.length) + SUFFIX;

/** Whether the proposed name had to shorten the source's name. */
export const isShortened = (name: string): boolean => name.length > MAX_NAME - SUFFIX.length;

export const emptyForm = (source: Feature): CloneForm => ({
  name: copyNameOf(source.name),
  project: source.project,
  include: PARTS.map(({ part }) => part),
  targets: {},
  replaceGroupId: true,
});

/** The body of the request. Without a chosen target, the server maps each environment to itself. */
export function requestOf(form: CloneForm, source: Feature, available: readonly string[]): CloneRequest {
  const { name, project, include, replaceGroupId } = form;
  const environments = source.environments.flatMap(({ name: from }) => {
    const to = form.targets[from] ?? (available.includes(from) ? from : '');
    return to === '' ? [] : [{ from, to }];
  });
  const hasTargets = Object.keys(form.targets).length > 0;
  return { name, project, include, replaceGroupId, ...(hasTargets ? { environments } : {}) };
}
