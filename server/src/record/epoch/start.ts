import type { Db } from '../../platform/db/database.ts';
import { updateEpoch } from './store.ts';

/** Clients choose what they send, so they must not be able to make all the others read everything repeatedly. */
const HOURS_BETWEEN_CLIENTS = 1;

/** Starts a new epoch: servers and SDKs read everything again. */
export const startEpoch = async (db: Db, reason: string): Promise<void> =>
  await updateEpoch(db, reason, undefined);

/** Starts a new epoch unless another server did so since the number was read. */
export const replaceEpoch = async (db: Db, number: number, reason: string): Promise<void> =>
  await updateEpoch(db, reason, { number, hours: 0 });

/** The same, triggered by what a client sent, at most once an hour. */
export const replaceEpochForClient = async (db: Db, number: number, reason: string): Promise<void> =>
  await updateEpoch(db, reason, { number, hours: HOURS_BETWEEN_CLIENTS });
