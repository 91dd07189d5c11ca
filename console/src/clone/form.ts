import type { schemas } from '../api/api.gen.ts';
import type { Feature } from '../features/queries.ts';

/** The user's input. */
export type CloneForm = {
  name: string;
  project: string;
  include: Part[];
  /** The target of each source environment that the user changed. An empty target means that the environment is not copied. */
  targets: Record<string, string>;
  replaceGroupId: boolean;
};
export type Part = NonNullable<schemas['CloneRequest']['include']>[number];

export const PARTS: readonly { part: Part; label: string; count(source: Feature): number }[] = [
  {
    part: 'strategies',
    label: 'Strategies with their variants',
    count: source => sum(source, environment => environment.strategies.length),
  },
  {
    part: 'variants',
    label: 'Environment variants',
    count: source => sum(source, environment => environment.variants.length),
  },
  { part: 'tags', label: 'Tags', count: source => source.tags.length },
  { part: 'dependencies', label: 'Parents', count: source => source.dependencies.length },
];

const sum = (source: Feature, count: (environment: Feature['environments'][number]) => number): number =>
  source.environments.reduce((total, environment) => total + count(environment), 0);

export const MAX_NAME_LENGTH = 100;
const SUFFIX = '-copy';

/** Suggests a name for the copy. A long name is shortened to make room for the suffix. */
export const suggestCopyName = (name: string): string =>
  name.slice(0, MAX_NAME_LENGTH - SUFFIX.length) + SUFFIX;

/** Whether the source's name is shortened in the suggested name. */
export const isSuggestionShortened = (name: string): boolean => name.length > MAX_NAME_LENGTH - SUFFIX.length;

export const createInitialForm = (source: Feature): CloneForm => ({
  name: suggestCopyName(source.name),
  project: source.project,
  include: PARTS.map(({ part }) => part),
  targets: {},
  replaceGroupId: true,
});

/** Builds the request body. If the user has chosen no targets, the server maps each environment to itself. */
export function buildCloneRequest(
  form: CloneForm,
  source: Feature,
  targetEnvironments: readonly string[],
): schemas['CloneRequest'] {
  const { name, project, include, replaceGroupId } = form;
  const environments = source.environments.flatMap(({ name: from }) => {
    const to = form.targets[from] ?? (targetEnvironments.includes(from) ? from : '');
    return to === '' ? [] : [{ from, to }];
  });
  const hasTargets = Object.keys(form.targets).length > 0;
  return { name, project, include, replaceGroupId, ...(hasTargets ? { environments } : {}) };
}
