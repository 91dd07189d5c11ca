import type { QueryClient } from '@tanstack/react-query';
import { isReasonMissing } from '../api/errors.ts';
import { MAX_REASON_LENGTH } from '../api/reason.ts';
import { toast } from '../ui/toasts.ts';
import { deleteStrategy, type FlagInEnvironment, findAddedStrategy, setEnabled } from './queries.ts';

const getToggleKey = ({ featureName, environment }: FlagInEnvironment): string =>
  `${featureName} in ${environment}`;

/** The newest change of each toggle that has pending changes. */
const pendingChanges = new Map<string, Promise<void>>();

/** Runs the changes of one toggle one after the other, because an undo that removes a strategy must not overtake a later click. */
function runInOrder(path: FlagInEnvironment, change: () => Promise<void>): Promise<void> {
  const toggle = getToggleKey(path);
  const result = (pendingChanges.get(toggle) ?? Promise.resolve()).then(change);
  const completion = result
    .catch(() => {})
    .then(() => {
      if (pendingChanges.get(toggle) === completion) pendingChanges.delete(toggle);
    });
  pendingChanges.set(toggle, completion);
  return result;
}

/** Enables or disables a flag, and offers "Undo". The message replaces an older message about the same toggle. */
export async function toggleWithUndo(
  client: QueryClient,
  path: FlagInEnvironment,
  enabled: boolean,
  reason?: string,
): Promise<void> {
  await runInOrder(path, () => setEnabled(client, path, enabled, { reason }));
  toast({
    message: `${path.featureName} is ${enabled ? 'enabled' : 'disabled'} in ${path.environment}.`,
    about: getToggleKey(path),
    action: {
      label: 'Undo',
      run: () =>
        void runInOrder(path, () => undo(client, path, enabled, reason)).catch(
          toastFailedToggle(path, !enabled),
        ),
    },
  });
}

/** Undoes a toggle. If enabling the flag added the default strategy, the undo removes the strategy again. */
async function undo(
  client: QueryClient,
  path: FlagInEnvironment,
  enabled: boolean,
  toggleReason = '',
): Promise<void> {
  const addedStrategyId = enabled ? await findAddedStrategy(path) : undefined;
  const reason = toggleReason.trim() && `Undo: ${toggleReason.trim()}`.slice(0, MAX_REASON_LENGTH);
  await setEnabled(client, path, !enabled, { reason });
  if (addedStrategyId !== undefined) await deleteStrategy({ ...path, strategyId: addedStrategyId }, reason);
}

/**
 * Names the toggle that failed, because by then the page shows the previous state again. Shows nothing if the user cancelled the change
 * instead of entering a reason.
 */
export const toastFailedToggle =
  (path: FlagInEnvironment, enabled: boolean) =>
  (error: unknown): void => {
    if (isReasonMissing(error)) return;
    toast({
      tone: 'bad',
      message: `${path.featureName} was not ${enabled ? 'enabled' : 'disabled'} in ${path.environment}. ${error instanceof Error ? error.message : String(error)}`,
      about: getToggleKey(path),
    });
  };
