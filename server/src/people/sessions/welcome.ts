import type { Tx } from '../../platform/db/database.ts';
import { networkOf } from './network.ts';
import { deletePlaces, forgetFailuresHere, rememberPlace } from './store.ts';

/** Who proved here, by a link, who they are is not held up here by failures from before, nor by those of others elsewhere. */
export async function welcomeHere(tx: Tx, userId: number, ip: string): Promise<void> {
  const network = networkOf(ip);
  await forgetFailuresHere(tx, userId, network);
  await rememberPlace(tx, userId, network);
}

/** Part of a change after which the user is known nowhere until the next login. */
export async function forgetPlaces(tx: Tx, userId: number): Promise<void> {
  await deletePlaces(tx, userId);
}
