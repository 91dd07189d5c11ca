import { type Static, Type } from 'typebox';
import { badData, quoted } from '../../../plane/src/platform/errors.ts';
import type { Feature } from '../flags/features/schema.ts';
import type { StoredOperation } from '../record/operations/stored.ts';
import { Arguments, Environment, Flag, Name } from './inputs.ts';
import { projectOf } from './place.ts';
import type { Call } from './tool.ts';

export const MAX_CHANGES = 20;

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

export const Changes = Type.Array(
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
        description: 'variants: all of them',
      }),
    ),
    from: Type.Optional(Name('copy: the environment to copy from')),
    tag: Type.Optional(Type.String({ maxLength: 101, pattern: '^[^:]+:.+$', description: 'type:value' })),
    description: Type.Optional(Type.String({ maxLength: 1_000 })),
  }),
  { minItems: 1, maxItems: MAX_CHANGES },
);
type ChangeInput = Static<typeof Changes>[number];

/** The operations of a plan and the flags they change, all in one project, so that they are locked in one statement. */
export type Resolved = { project: string; flags: string[]; operations: StoredOperation[] };

/** Turns the changes into operations of the admin API. */
export async function resolveChanges(call: Call, changes: ChangeInput[]): Promise<Resolved> {
  const flags = [...new Set(changes.map(({ flag }) => flag))].toSorted();
  const projects = new Set<string>();
  for (const flag of flags) projects.add(await projectOf(call, flag));
  const [project = '', ...others] = projects;
  if (others.length > 0)
    throw badData([
      {
        message: `A plan can change the flags of only one project, not of ${quoted([...projects])}. Make a separate plan for each project.`,
      },
    ]);
  const operations: StoredOperation[] = [];
  for (const [at, change] of changes.entries()) operations.push(await operationOf(call, project, change, at));
  return { project, flags, operations };
}

async function operationOf(
  call: Call,
  project: string,
  change: ChangeInput,
  at: number,
): Promise<StoredOperation> {
  const { flag } = change;
  const need = <T>(value: T | undefined, name: string): T => {
    if (value !== undefined) return value;
    throw badData([
      { message: `changes[${at}]: "${change.do}" needs ${name}`, path: `/arguments/changes/${at}` },
    ]);
  };
  const ofFlag = { projectId: project, featureName: flag };
  const here = () => ({ ...ofFlag, environment: need(change.environment, 'environment') });
  const to = (operation: string, params: Record<string, string>, body?: unknown): StoredOperation => ({
    operation,
    input: { params, ...(body !== undefined && { body }) },
  });
  switch (change.do) {
    case 'enable':
      return to('enableFeature', here());
    case 'disable':
      return to('disableFeature', here());
    case 'rollout':
      return await rolloutOf(call, here(), need(change.percent, 'percent'), change.strategyId);
    case 'add_strategy':
      return to('addFeatureStrategy', here(), need(change.strategy, 'strategy'));
    case 'update_strategy':
      return to(
        'updateFeatureStrategy',
        strategyParams(here(), need(change.strategyId, 'strategyId')),
        need(change.strategy, 'strategy'),
      );
    case 'remove_strategy':
      return to('deleteFeatureStrategy', strategyParams(here(), need(change.strategyId, 'strategyId')));
    case 'variants':
      return to('updateVariants', here(), need(change.variants, 'variants'));
    case 'copy':
      return to('copyFeatureEnvironment', here(), { from: need(change.from, 'from') });
    case 'describe':
      return to('updateFeature', ofFlag, { description: need(change.description, 'description') });
    case 'mark_stale':
      return to('updateFeature', ofFlag, { stale: true });
    case 'unmark_stale':
      return to('updateFeature', ofFlag, { stale: false });
    case 'tag':
      return to('tagFeature', { featureName: flag }, tagOf(need(change.tag, 'tag')));
    case 'untag':
      return to('untagFeature', { featureName: flag, ...tagOf(need(change.tag, 'tag')) });
    case 'archive':
      return to('archiveFeature', ofFlag);
    case 'revive':
      return to('reviveFeature', { featureName: flag });
  }
}

const strategyParams = (here: Record<string, string>, strategyId: string) => ({ ...here, strategyId });

function tagOf(tag: string): { type: string; value: string } {
  const at = tag.indexOf(':');
  return { type: tag.slice(0, at), value: tag.slice(at + 1) };
}

type Here = { projectId: string; featureName: string; environment: string };

const GRADUAL = 'flexibleRollout';

/** Sets the percentage of the only gradual rollout, or of the one that is named. A flag without strategies gets one. */
async function rolloutOf(
  call: Call,
  here: Here,
  percent: number,
  strategyId: string | undefined,
): Promise<StoredOperation> {
  const { projectId, featureName, environment } = here;
  const feature = await call.read<Feature>('getFeature', { params: { projectId, featureName } });
  const strategies = feature.environments.find(({ name }) => name === environment)?.strategies ?? [];
  if (strategies.length === 0 && strategyId === undefined)
    return {
      operation: 'addFeatureStrategy',
      input: {
        params: here,
        body: {
          name: GRADUAL,
          parameters: { rollout: String(percent), stickiness: 'default', groupId: featureName },
        },
      },
    };
  const gradual = strategies.filter(one =>
    strategyId === undefined ? one.name === GRADUAL : one.id === strategyId,
  );
  const [only] = gradual;
  if (!only || gradual.length > 1)
    throw badData([
      {
        message: `Flag "${featureName}" has ${gradual.length} gradual rollouts in environment "${environment}". Name one with strategyId; get_flag lists them.`,
      },
    ]);
  return {
    operation: 'patchFeatureStrategy',
    input: {
      params: strategyParams(here, only.id),
      body: [{ op: 'replace', path: '/parameters/rollout', value: String(percent) }],
    },
  };
}
