import type { Reader } from '../../platform/db/database.ts';
import { listForeignFields } from './store.ts';

/** Those of the named context fields that a feature of the project may not use: fields of other projects. */
export async function unusableFields(db: Reader, project: string, names: string[]): Promise<string[]> {
  return names.length === 0 ? [] : await listForeignFields(db, project, names);
}
