import type { QueryClient } from '@tanstack/react-query';
import { MAX_REASON_LENGTH } from '../api/reason.ts';
import { toast } from '../ui/toasts.ts';
import { deleteStrategy, type EnvironmentPlace, findStrategyOfEnabling, setEnabled } from './queries.ts';

const aboutOf = ({ featureName, environment }: EnvironmentPlace): string =>
  `${featureName} in ${environment}`;

/** The newest change of each toggle that has not ended. */
const running = new Map<string, Promise<void>>();

/** The changes of one toggle run one after the other: an undo that removes a strategy must not overtake a later click. */
function inTurn(place: EnvironmentPlace, change: () => Promise<void>): Promise<void> {
  const toggle = aboutOf(place);
  const result = (running.get(toggle) ?? Promise.resolve()).then(change);
  const ended = result
    .catch(() => {})
    .then(() => {
      if (running.get(toggle) === ended) running.delete(toggle);
    });
  running.set(toggle, ended);
  return result;
}

/** Enables or disables a flag, and offers "Undo". The message replaces an older one about the same toggle. */
export async function toggleWithUndo(
  client: QueryClient,
  place: EnvironmentPlace,
  enabled: boolean,
  reason?: string,
): Promise<void> {
  await inTurn(place, () => setEnabled(client, place, enabled, { reason }));
  toast({
    message: `${place.featureName} is ${enabled ? 'enabled' : 'disabled'} in ${place.environment}.`,
    about: aboutOf(place),
    action: {
      label: 'Undo',
      run: () =>
        void inTurn(place, () => undo(client, place, enabled, reason)).catch(
          toastFailedToggle(place, !enabled),
        ),
    },
  });
}

/** Enabling a flag without a strategy adds one, so undoing it removes that one too. */
async function undo(
  client: QueryClient,
  place: EnvironmentPlace,
  enabled: boolean,
  reasonBefore = '',
): Promise<void> {
  const added = enabled ? await findStrategyOfEnabling(place) : undefined;
  const reason = reasonBefore.trim() && `Undo: ${reasonBefore.trim()}`.slice(0, MAX_REASON_LENGTH);
  await setEnabled(client, place, !enabled, { reason });
  if (added !== undefined) await deleteStrategy({ ...place, strategyId: added }, reason);
}

/** Says which toggle failed: the page already shows the former state again. */
export const toastFailedToggle =
  (place: EnvironmentPlace, enabled: boolean) =>
  (error: unknown): void =>
    toast({
      tone: 'bad',
      message: `${place.featureName} was not ${enabled ? 'enabled' : 'disabled'} in ${place.environment}. ${error instanceof Error ? error.message : String(error)}`,
      about: aboutOf(place),
    });
