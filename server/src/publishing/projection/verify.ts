import type { Db } from '../../platform/db/database.ts';
import { notifyServers } from '../../record/wake.ts';
import { SDK_CHANNEL } from './publish.ts';
import {
  type Difference,
  listFeatureDifferences,
  listNamesAfter,
  listSegmentDifferences,
  markForRebuild,
} from './store.ts';

const FLAGS_PER_STATEMENT = 500;
/** A batch locks the rows of its flags for about 50 ms. */
const DOCUMENTS_PER_REBUILD = 100;

/** Compares every stored document with what its rows produce. */
export async function findDifferences(db: Db): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let lastName: string | undefined = ''; lastName !== undefined; ) {
    const names = await listNamesAfter(db, lastName, FLAGS_PER_STATEMENT);
    if (names.length > 0) differences.push(...(await listFeatureDifferences(db, names)));
    lastName = names.at(-1);
  }
  return [...differences, ...(await listSegmentDifferences(db))];
}

/** Rebuilds documents. Those that differ get a new revision. */
export async function rebuildDocuments(db: Db, documents: Pick<Difference, 'kind' | 'key'>[]): Promise<void> {
  for (let offset = 0; offset < documents.length; offset += DOCUMENTS_PER_REBUILD) {
    const batch = documents.slice(offset, offset + DOCUMENTS_PER_REBUILD);
    await db.transaction().execute(tx => markForRebuild(tx, batch));
  }
  notifyServers(db, SDK_CHANNEL);
}
