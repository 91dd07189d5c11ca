import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import type { Change } from '../../record/change.ts';
import { deleteFailuresAt, deleteKnownNetworks, upsertKnownNetwork } from './store.ts';

/**
 * Resets a user's failed logins from the IP address's network, and marks the network as known. The caller has verified that the
 * user proved their identity there with a link.
 */
export async function trustNetwork({ tx }: Change, userId: number, ip: string): Promise<void> {
  const network = toNetwork(ip);
  await deleteFailuresAt(tx, userId, network);
  await upsertKnownNetwork(tx, userId, network);
}

/** Deletes all known networks of a user. */
export async function forgetKnownNetworks({ tx }: Change, userId: number): Promise<void> {
  await deleteKnownNetworks(tx, userId);
}
