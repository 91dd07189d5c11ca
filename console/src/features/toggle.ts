import type { QueryClient } from '@tanstack/react-query';
import { MAX_REASON_LENGTH } from '../api/reason.ts';
import { toast } from '../ui/toasts.ts';
import { deleteStrategy, type EnvironmentPlace, findStrategyOfEnabling, setEnabled } from './queries.ts';

const aboutOf = ({ featureName, environment }: EnvironmentPlace): string =>
  `${featureName} in ${environment}`;

/** Enables or disables a flag, and offers "Undo". The message replaces an older one about the same toggle. */
export async function toggleWithUndo(
  client: QueryClient,
  place: EnvironmentPlace,
  enabled: boolean,
  reason?: string,
): Promise<void> {
  await setEnabled(client, place, enabled, { reason });
  toast({
    message: `${place.featureName} is ${enabled ? 'enabled' : 'disabled'} in ${place.environment}.`,
    about: aboutOf(place),
    action: {
      label: 'Undo',
      run: () => void undo(client, place, enabled, reason).catch(toastFailedToggle(place, !enabled)),
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
