import type { OperationId } from '../api/can.ts';
import { addOwner, type Candidate } from '../features/owner-queries.ts';
import { type FeaturePath, moveFeature } from '../features/queries.ts';
import {
  addTag,
  archive,
  deleteFlags,
  type Flag,
  markStale,
  reviveFlags,
  type SelectedFlags,
  setEnabledInFlags,
} from './queries.ts';

export type BulkAction =
  | 'enable'
  | 'disable'
  | 'tag'
  | 'owner'
  | 'stale'
  | 'active'
  | 'move'
  | 'archive'
  | 'revive'
  | 'delete';

/** The labels of each action, and the operation that it calls. `done` replaces `verb` in the message after the action. */
export const ACTIONS: Record<
  BulkAction,
  { button: string; verb: string; done: string; suffix?: string; call: OperationId; danger?: true }
> = {
  enable: { button: 'Enable…', verb: 'Enable', done: 'Enabled', call: 'enableFeatures' },
  disable: { button: 'Disable…', verb: 'Disable', done: 'Disabled', call: 'disableFeatures' },
  tag: { button: 'Add a tag…', verb: 'Tag', done: 'Tagged', call: 'changeTagsOfFeatures' },
  owner: {
    button: 'Add an owner…',
    verb: 'Add an owner to',
    done: 'Added an owner to',
    call: 'setFeatureOwners',
  },
  stale: {
    button: 'Mark as stale…',
    verb: 'Mark',
    done: 'Marked',
    suffix: ' as stale',
    call: 'markFeaturesStale',
  },
  active: {
    button: 'Unmark as stale…',
    verb: 'Unmark',
    done: 'Unmarked',
    suffix: ' as stale',
    call: 'markFeaturesStale',
  },
  move: { button: 'Move…', verb: 'Move', done: 'Moved', call: 'changeProject' },
  archive: {
    button: 'Archive…',
    verb: 'Archive',
    done: 'Archived',
    call: 'archiveFeatures',
    danger: true,
  },
  revive: { button: 'Revive…', verb: 'Revive', done: 'Revived', call: 'reviveFeatures' },
  delete: { button: 'Delete…', verb: 'Delete', done: 'Deleted', call: 'deleteFeatures', danger: true },
};

export const ACTIVE_ACTIONS: readonly BulkAction[] = [
  'enable',
  'disable',
  'tag',
  'owner',
  'stale',
  'active',
  'move',
  'archive',
];
export const ARCHIVED_ACTIONS: readonly BulkAction[] = ['revive', 'delete'];

/** The parameters of the actions. Each action uses only some of them. */
export type BulkParameters = {
  environment: string;
  tag: { type: string; value: string };
  target: string;
  owner?: Candidate | undefined;
  reason: string;
};

/** Groups the flags by project, because the API changes the flags of one project at a time. */
function groupByProject(flags: readonly Flag[]): SelectedFlags[] {
  const projects = Map.groupBy(flags, flag => flag.project);
  return [...projects].map(([project, projectFlags]) => ({
    project,
    names: projectFlags.map(flag => flag.name),
  }));
}

/** Carries out the action. A request changes all flags of a project or none, but flags are moved and given owners one by one. */
export async function runBulk(
  action: BulkAction,
  flags: readonly Flag[],
  { environment, tag, target, owner, reason }: BulkParameters,
): Promise<void> {
  if (action === 'move')
    return await changeOneByOne(
      flags.filter(({ project }) => project !== target),
      'Moved',
      path => moveFeature(path, target, reason),
    );
  if (action === 'owner')
    return await changeOneByOne(flags, 'Changed', async path => {
      if (owner) await addOwner(path, owner, { reason });
    });
  for (const selectedFlags of groupByProject(flags)) {
    if (action === 'enable' || action === 'disable')
      await setEnabledInFlags(selectedFlags, environment, action === 'enable', reason);
    else if (action === 'tag') await addTag(selectedFlags, tag, reason);
    else if (action === 'archive') await archive(selectedFlags, reason);
    else if (action === 'revive') await reviveFlags(selectedFlags, reason);
    else if (action === 'delete') await deleteFlags(selectedFlags, reason);
    else await markStale(selectedFlags, action === 'stale', reason);
  }
}

async function changeOneByOne(
  flags: readonly Flag[],
  done: string,
  change: (path: FeaturePath) => Promise<void>,
): Promise<void> {
  for (const [index, { project, name }] of flags.entries())
    await change({ projectId: project, featureName: name }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${done} ${index} of ${flags.length} flags, then stopped at "${name}": ${message}`);
    });
}
