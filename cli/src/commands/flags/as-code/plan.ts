import type { Context } from '../../../context.ts';
import { formatCount, sanitize } from '../../../output.ts';
import { getData } from '../../../requests.ts';
import { type Change, changesFor, computePlanName } from './changes.ts';
import { readFlagsFile } from './file.ts';
import { type FlagState, readProject, readSegments, type Segments, toFlagState } from './state.ts';

export type Plan = { project: string; plan: string; changes: Change[] };
export type PreparedPlan = Plan & { desired: Record<string, FlagState>; segments: Segments };

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

/** Returns the state of a flag right after it is created. Everything else in the file is applied as changes to this state. */
const stateAfterCreation = (flag: FlagState, environments: string[]): Required<FlagState> => ({
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
export async function prepare(context: Context, path: string, prune: boolean): Promise<PreparedPlan> {
  const { project, flags: desired } = await readFlagsFile(path);
  const segments = await readSegments(context);
  const features = await readProject(context, project);
  const params = { path: { projectId: project } };
  const { environments } = await getData(context.read.GET('/api/admin/projects/{projectId}', { params }));
  const currentStates = new Map(features.map(feature => [feature.name, toFlagState(feature, segments)]));
  const changes = Object.entries(desired).flatMap(([name, flag]) => {
    const existing = currentStates.get(name);
    if (existing) return changesFor(name, existing, flag);
    const base = stateAfterCreation(flag, environments);
    return [...changesFor(name, undefined, flag), ...changesFor(name, base, flag)];
  });
  if (prune)
    for (const { name } of features)
      if (!Object.hasOwn(desired, name)) changes.push({ flag: name, does: 'archive' });
  return { project, plan: computePlanName(project, changes), changes, desired, segments };
}

const ACTION_LABELS: Record<Change['does'], string> = {
  create: '+ create',
  update: '~ change',
  tag: '~ tag',
  strategies: '~ replace the strategies of',
  variants: '~ replace the variants of',
  enable: '~ enable',
  disable: '~ disable',
  archive: '- archive',
};

export function formatPlan({ project, plan, changes }: Plan): string {
  if (changes.length === 0) return `Project "${sanitize(project)}" matches the file.`;
  const lines = changes.flatMap(({ flag, environment, does, from, to }) => [
    `${ACTION_LABELS[does]} ${sanitize(flag)}${environment ? ` in ${sanitize(environment)}` : ''}`,
    ...(from === undefined ? [] : [`    from ${sanitize(JSON.stringify(from))}`]),
    ...(to === undefined || (does === 'create' && Object.keys(to as object).length === 0)
      ? []
      : [`    to   ${sanitize(JSON.stringify(to))}`]),
  ]);
  return [
    ...lines,
    '',
    `${formatCount(changes.length, 'change')} in project "${sanitize(project)}". Plan ${plan}`,
  ].join('\n');
}
