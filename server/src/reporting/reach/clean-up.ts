import type { Db } from '../../platform/db/database.ts';
import { deleteOutdated } from './store.ts';

/** Deletes instances and servers that were forgotten more than a day ago, and changes older than 30 days. Returns the number of rows. */
export const cleanUpReach = (db: Db): Promise<number> => deleteOutdated(db);
