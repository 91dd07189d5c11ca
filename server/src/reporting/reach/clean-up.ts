import type { Db } from '../../platform/db/database.ts';
import { deleteOutdatedReach } from './store.ts';

/**
 * Deletes instances not seen for 10 minutes, servers that ended more than a day ago, and changes older than 30 days. A caller can
 * invent 25,000 instances every 5 minutes, and all of them are read to find those that count. Returns the number of rows.
 */
export const cleanUpReach = (db: Db): Promise<number> => deleteOutdatedReach(db);
