import type { Context } from '../../../context.ts';
import { count, plain } from '../../../output.ts';
import { data } from '../../../requests.ts';
import { type Change, changesFor, nameOf } from './changes.ts';
import { readFlagsFile } from './file.ts';
import { type FlagState, readProject, readSegments, type Segments, stateOf } from './state.ts';

export type Plan = { project: string; plan: string; changes: Change[] };
export type Prepared = Plan & { wanted: Record<string, FlagState>; segments: Segments };

export const PLAN_SCHEMA = {
  type: 'object',
  required: ['project', 'plan', 'changes'],
  properties: {
    project: { type: 'string' },
    plan: { type: 'string', description: 'Name of the plan, for halyard flags apply --plan' },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['flag', 'does'],
        properties: {
          flag: { type: 'string' },
          environment: { type: 'string' },
          does: { type: 'string' },
          from: {},
          to: {},
        },
      },
    },
  },
};

/** The state of a flag right after it is created. Everything else in the file is applied as changes to it. */
const created = (flag: FlagState, environments: string[]): Required<FlagState> => ({
  type: flag.type ?? 'release',
  description: flag.description ?? '',
  stale: false,
  impressionData: flag.impressionData ?? false,
  tags: [],
  environments: Object.fromEntries(
    environments.map(name => [name, { enabled: false, strategies: [], variants: [] }]),
  ),
});

/** Compares a file with the server. */
export async function prepare(context: Context, path: string, prune: boolean): Promise<Prepared> {
  const { project, flags: wanted } = await readFlagsFile(path);
  const segments = await readSegments(context);
  const features = await readProject(context, project);
  const params = { path: { projectId: project } };
  const { environments } = await data(context.read.GET('/api/admin/projects/{projectId}', { params }));
  const current = new Map(features.map(one => [one.name, stateOf(one, segments)]));
  const changes = Object.entries(wanted).flatMap(([name, flag]) => {
    const have = current.get(name);
    if (have) return changesFor(name, have, flag);
    const base = created(flag, environments);
    return [...changesFor(name, undefined, flag), ...changesFor(name, base, flag)];
  });
  if (prune)
    for (const { name } of features)
      if (!Object.hasOwn(wanted, name)) changes.push({ flag: name, does: 'archive' });
  return { project, plan: nameOf(project, changes), changes, wanted, segments };
}

const WORDS: Record<Change['does'], string> = {
  create: '+ create',
  update: '~ change',
  tag: '~ tag',
  strategies: '~ replace the strategies of',
  variants: '~ replace the variants of',
  enable: '~ enable',
  disable: '~ disable',
  archive: '- archive',
};

export function planText({ project, plan, changes }: Plan): string {
  if (changes.length === 0) return `Project "${plain(project)}" matches the file.`;
  const lines = changes.flatMap(({ flag, environment, does, from, to }) => [
    `${WORDS[does]} ${plain(flag)}${environment ? ` in ${plain(environment)}` : ''}`,
    ...(from === undefined ? [] : [`    from ${plain(JSON.stringify(from))}`]),
    ...(to === undefined || (does === 'create' && Object.keys(to as object).length === 0)
      ? []
      : [`    to   ${plain(JSON.stringify(to))}`]),
  ]);
  return [
    ...lines,
    '',
    `${count(changes.length, 'change')} in project "${plain(project)}". Plan ${plan}`,
  ].join('\n');
}
