import type { Reader } from '../../platform/db/database.ts';
import { listNames, type NameRow } from './store.ts';

type Ids = Partial<Record<NameRow['kind'], number[]>>;
type Names = { names: Partial<Record<NameRow['kind'], Record<string, string>>> };

/**
 * Reads the names of users, groups and roles. Returns a function that selects some of these names by id for an event's payload. An
 * event outlives its subject, so the summary cannot look the names up later.
 */
export async function readNames(db: Reader, ids: Ids): Promise<(selection: Ids) => Names> {
  const { users = [], groups = [], roles = [] } = ids;
  const rows = await listNames(db, { users, groups, roles });
  return selection => {
    const names: Names['names'] = {};
    for (const { kind, id, name } of rows)
      if (selection[kind]?.includes(id)) names[kind] = { ...names[kind], [id]: name };
    return { names };
  };
}
