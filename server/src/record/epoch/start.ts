import type { Db } from '../../platform/db/database.ts';
import { updateEpoch } from './store.ts';

/**
 * The minimum time between epochs that clients cause. Without it, a client could send values that make all others read everything
 * again and again.
 */
const HOURS_BETWEEN_CLIENT_EPOCHS = 1;

/** Starts a new epoch, so that servers and SDKs read everything again. */
export const startEpoch = async (db: Db, reason: string): Promise<void> =>
  await updateEpoch(db, reason, undefined);

/** Starts a new epoch unless another server has started one since the number was read. */
export const replaceEpoch = async (db: Db, number: number, reason: string): Promise<void> =>
  await updateEpoch(db, reason, { number, hours: 0 });

/** Like `replaceEpoch`, but for an epoch that a client caused, so at most one starts per hour. */
export const replaceEpochForClient = async (db: Db, number: number, reason: string): Promise<void> =>
  await updateEpoch(db, reason, { number, hours: HOURS_BETWEEN_CLIENT_EPOCHS });
