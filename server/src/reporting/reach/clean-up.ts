import type { Db } from '../../platform/db/database.ts';
import { deleteOutdated } from './store.ts';

/**
 * Deletes instances that were forgotten, servers that ended more than a day ago, and changes older than 30 days. A caller can make up
 * 25,000 instances every 5 minutes, and all of them are read to find those that count. Returns the number of rows.
 */
export const cleanUpReach = (db: Db): Promise<number> => deleteOutdated(db);
