import type { OperationId } from '../api/can.ts';
import { moveFeature } from '../features/queries.ts';
import {
  addTag,
  archive,
  deleteFlags,
  type Flag,
  markStale,
  reviveFlags,
  type Selected,
  setEnabledOf,
} from './queries.ts';

export type BulkAction =
  | 'enable'
  | 'disable'
  | 'tag'
  | 'stale'
  | 'active'
  | 'move'
  | 'archive'
  | 'revive'
  | 'delete';

/** The words of an action: before and after it, with the button and the operation that it calls. */
export const ACTIONS: Record<
  BulkAction,
  { button: string; verb: string; done: string; call: OperationId; danger?: true }
> = {
  enable: { button: 'Enable…', verb: 'Enable', done: 'Enabled', call: 'enableFeatures' },
  disable: { button: 'Disable…', verb: 'Disable', done: 'Disabled', call: 'disableFeatures' },
  tag: { button: 'Add a tag…', verb: 'Tag', done: 'Tagged', call: 'changeTagsOfFeatures' },
  stale: {
    button: 'Mark stale…',
    verb: 'Mark stale:',
    done: 'Marked stale:',
    call: 'markFeaturesStale',
  },
  active: {
    button: 'Mark active…',
    verb: 'Mark active:',
    done: 'Marked active:',
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

export const OF_ACTIVE: readonly BulkAction[] = [
  'enable',
  'disable',
  'tag',
  'stale',
  'active',
  'move',
  'archive',
];
export const OF_ARCHIVED: readonly BulkAction[] = ['revive', 'delete'];

/** What an action needs beyond the flags. */
export type Choice = {
  environment: string;
  tag: { type: string; value: string };
  target: string;
  reason: string;
};

/** The API changes the flags of one project at a time. */
function byProject(flags: readonly Flag[]): Selected[] {
  const names = Map.groupBy(flags, flag => flag.project);
  return [...names].map(([project, own]) => ({ project, names: own.map(flag => flag.name) }));
}

/** Carries out the action. All flags of a project change, or none; only moves happen one by one. */
export async function runBulk(
  action: BulkAction,
  flags: readonly Flag[],
  { environment, tag, target, reason }: Choice,
): Promise<void> {
  if (action === 'move') return await moveAll(flags, target, reason);
  for (const selected of byProject(flags)) {
    if (action === 'enable' || action === 'disable')
      await setEnabledOf(selected, environment, action === 'enable', reason);
    else if (action === 'tag') await addTag(selected, tag, reason);
    else if (action === 'archive') await archive(selected, reason);
    else if (action === 'revive') await reviveFlags(selected, reason);
    else if (action === 'delete') await deleteFlags(selected, reason);
    else await markStale(selected, action === 'stale', reason);
  }
}

async function moveAll(flags: readonly Flag[], target: string, reason: string): Promise<void> {
  for (const [index, { project, name }] of flags.entries())
    if (project !== target)
      await moveFeature({ projectId: project, featureName: name }, target, reason).catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`Moved ${index} of ${flags.length} flags, then stopped at "${name}": ${message}`);
      });
}
