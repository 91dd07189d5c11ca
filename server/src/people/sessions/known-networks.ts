import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import type { Change } from '../../record/change.ts';
import { deleteFailuresAt, deleteKnownNetworks, upsertKnownNetwork } from './store.ts';

/**
 * Resets the failed logins of a user at the network of the address, and marks the network as known. For users who proved
 * their identity there with a link.
 */
export async function trustNetwork({ tx }: Change, userId: number, ip: string): Promise<void> {
  const network = networkOf(ip);
  await deleteFailuresAt(tx, userId, network);
  await upsertKnownNetwork(tx, userId, network);
}

/** Forgets all known networks of a user. */
export async function forgetNetworks({ tx }: Change, userId: number): Promise<void> {
  await deleteKnownNetworks(tx, userId);
}
