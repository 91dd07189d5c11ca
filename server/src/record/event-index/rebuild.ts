import type { Db } from '../../platform/db/database.ts';
import { toChunk } from './bitmap.ts';
import { FIRST_CHUNK, type IndexPart, readIndexedChunks } from './store.ts';
import { rebuildText } from './text/verify.ts';
import { rebuildChunk } from './verify.ts';

/** Rebuilds chunks of imported events that are already indexed, which is needed only if Unleash committed an event very late. */
export async function rebuildIndexChunks(db: Db, ids: number[]): Promise<void> {
  const isIndexed = async (part: IndexPart) => {
    const end = FIRST_CHUNK.imported + (await readIndexedChunks(db, [part], 'imported'));
    return (chunk: number) => chunk < end;
  };
  const chunks = [...new Set(ids.map(toChunk))];
  for (const chunk of chunks.filter(await isIndexed('filters'))) await rebuildChunk(db, chunk);
  for (const chunk of chunks.filter(await isIndexed('text'))) await rebuildText(db, chunk);
}
