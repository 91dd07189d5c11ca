import type { Db } from '../../platform/db/database.ts';
import { deleteOutdated } from './store.ts';

/** Deletes instances and servers that were forgotten a day ago, and changes of more than 30 days ago. Returns how many. */
export const cleanUpReach = (db: Db): Promise<number> => deleteOutdated(db);
