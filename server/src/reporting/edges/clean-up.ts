import type { Db } from '../../platform/db/database.ts';
import { deleteOutdatedEdges } from './store.ts';

/** Deletes edges that have been silent for a day, or whose token was revoked. Returns the number of rows. */
export const cleanUpEdges = (db: Db): Promise<number> => deleteOutdatedEdges(db);
