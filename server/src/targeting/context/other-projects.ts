import type { Reader } from '../../platform/db/database.ts';
import { listFieldsOutsideProject } from './store.ts';

/** Lists which of the given context fields the project's features cannot use, because they belong to other projects. */
export async function listFieldsOfOtherProjects(
  db: Reader,
  project: string,
  names: string[],
): Promise<string[]> {
  return names.length === 0 ? [] : await listFieldsOutsideProject(db, project, names);
}
