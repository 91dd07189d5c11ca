import { badData, quoteNames } from '@halyard/plane/platform/errors.ts';
import { type Static, Type } from 'typebox';
import type { Feature } from '../flags/features/schema.ts';
import type { StoredOperation } from '../record/operations/stored.ts';
import { findFlagProject } from './flag-location.ts';
import { Arguments, Environment, Flag, Name } from './inputs.ts';
import type { Call } from './tool.ts';

export const MAX_PLAN_CHANGES = 20;

const KINDS = [
  'enable',
  'disable',
  'rollout',
  'add_strategy',
  'update_strategy',
  'remove_strategy',
  'variants',
  'copy',
  'describe',
  'mark_stale',
  'unmark_stale',
  'tag',
  'untag',
  'archive',
  'revive',
] as const;

export const PlanChanges = Type.Array(
  Arguments({
    do: Type.Enum([...KINDS]),
    flag: Flag,
    environment: Type.Optional(Environment),
    percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'rollout' })),
    strategyId: Type.Optional(Name('update_strategy, remove_strategy; rollout if there are several')),
    strategy: Type.Optional(
      Type.Object(
        {},
        {
          maxProperties: 20,
          description: 'add_strategy, update_strategy: name, parameters, constraints, segments …',
        },
      ),
    ),
    variants: Type.Optional(
      Type.Array(Type.Object({}, { maxProperties: 20 }), {
        maxItems: 50,
        description: 'variants: the complete list',
      }),
    ),
    from: Type.Optional(Name('copy: the environment to copy from')),
    tag: Type.Optional(Type.String({ maxLength: 101, pattern: '^[^:]+:.+$', description: 'type:value' })),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
  }),
  { minItems: 1, maxItems: MAX_PLAN_CHANGES },
);
type ChangeInput = Static<typeof PlanChanges>[number];

/** The operations of a plan and the flags they change. All flags are in one project, so one statement can lock them. */
export type ResolvedChanges = { project: string; flags: string[]; operations: StoredOperation[] };

/** Turns the changes into admin API operations. */
export async function resolveChanges(call: Call, changes: ChangeInput[]): Promise<ResolvedChanges> {
  const flags = [...new Set(changes.map(({ flag }) => flag))].toSorted();
  const projects = new Set<string>();
  for (const flag of flags) projects.add(await findFlagProject(call, flag));
  const [project = '', ...otherProjects] = projects;
  if (otherProjects.length > 0)
    throw badData([
      {
        message: `A plan can change the flags of only one project, not of ${quoteNames([...projects])}. Make a separate plan for each project.`,
      },
    ]);
  const operations: StoredOperation[] = [];
  for (const [index, change] of changes.entries())
    operations.push(await buildOperation(call, project, change, index));
  return { project, flags, operations };
}

async function buildOperation(
  call: Call,
  project: string,
  change: ChangeInput,
  index: number,
): Promise<StoredOperation> {
  const { flag } = change;
  const requireValue = <T>(value: T | undefined, name: string): T => {
    if (value !== undefined) return value;
    throw badData([
      { message: `changes[${index}]: "${change.do}" requires ${name}`, path: `/arguments/changes/${index}` },
    ]);
  };
  const flagParams = { projectId: project, featureName: flag };
  const environmentParams = () => ({
    ...flagParams,
    environment: requireValue(change.environment, 'environment'),
  });
  const toOperation = (
    operation: string,
    params: Record<string, string>,
    body?: unknown,
  ): StoredOperation => ({
    operation,
    input: { params, ...(body !== undefined && { body }) },
  });
  switch (change.do) {
    case 'enable':
      return toOperation('enableFeature', environmentParams());
    case 'disable':
      return toOperation('disableFeature', environmentParams());
    case 'rollout':
      return await buildRolloutOperation(
        call,
        environmentParams(),
        requireValue(change.percent, 'percent'),
        change.strategyId,
      );
    case 'add_strategy':
      return toOperation(
        'addFeatureStrategy',
        environmentParams(),
        requireValue(change.strategy, 'strategy'),
      );
    case 'update_strategy':
      return toOperation(
        'updateFeatureStrategy',
        toStrategyParams(environmentParams(), requireValue(change.strategyId, 'strategyId')),
        requireValue(change.strategy, 'strategy'),
      );
    case 'remove_strategy':
      return toOperation(
        'deleteFeatureStrategy',
        toStrategyParams(environmentParams(), requireValue(change.strategyId, 'strategyId')),
      );
    case 'variants':
      return toOperation('updateVariants', environmentParams(), requireValue(change.variants, 'variants'));
    case 'copy':
      return toOperation('copyFeatureEnvironment', environmentParams(), {
        from: requireValue(change.from, 'from'),
      });
    case 'describe':
      return toOperation('updateFeature', flagParams, {
        description: requireValue(change.description, 'description'),
      });
    case 'mark_stale':
      return toOperation('updateFeature', flagParams, { stale: true });
    case 'unmark_stale':
      return toOperation('updateFeature', flagParams, { stale: false });
    case 'tag':
      return toOperation('tagFeature', { featureName: flag }, parseTag(requireValue(change.tag, 'tag')));
    case 'untag':
      return toOperation('untagFeature', { featureName: flag, ...parseTag(requireValue(change.tag, 'tag')) });
    case 'archive':
      return toOperation('archiveFeature', flagParams);
    case 'revive':
      return toOperation('reviveFeature', { featureName: flag });
  }
}

const toStrategyParams = (params: Record<string, string>, strategyId: string) => ({ ...params, strategyId });

function parseTag(tag: string): { type: string; value: string } {
  const separator = tag.indexOf(':');
  return { type: tag.slice(0, separator), value: tag.slice(separator + 1) };
}

type FlagInEnvironment = { projectId: string; featureName: string; environment: string };

const GRADUAL_ROLLOUT = 'flexibleRollout';

/** Sets the percentage of the named strategy or of the only gradual rollout. A flag without strategies gets a gradual rollout. */
async function buildRolloutOperation(
  call: Call,
  flagInEnvironment: FlagInEnvironment,
  percent: number,
  strategyId: string | undefined,
): Promise<StoredOperation> {
  const { projectId, featureName, environment } = flagInEnvironment;
  const feature = await call.read<Feature>('getFeature', { params: { projectId, featureName } });
  const strategies = feature.environments.find(({ name }) => name === environment)?.strategies ?? [];
  if (strategies.length === 0 && strategyId === undefined)
    return {
      operation: 'addFeatureStrategy',
      input: {
        params: flagInEnvironment,
        body: {
          name: GRADUAL_ROLLOUT,
          parameters: { rollout: String(percent), stickiness: 'default', groupId: featureName },
        },
      },
    };
  const rollouts = strategies.filter(strategy =>
    strategyId === undefined ? strategy.name === GRADUAL_ROLLOUT : strategy.id === strategyId,
  );
  const [rollout] = rollouts;
  if (!rollout || rollouts.length > 1)
    throw badData([
      {
        message: `Flag "${featureName}" has ${rollouts.length} gradual rollouts in environment "${environment}". Choose one with strategyId; get_flag lists them.`,
      },
    ]);
  return {
    operation: 'patchFeatureStrategy',
    input: {
      params: toStrategyParams(flagInEnvironment, rollout.id),
      body: [{ op: 'replace', path: '/parameters/rollout', value: String(percent) }],
    },
  };
}
