import type { Db } from '../../platform/db/database.ts';
import { chunkOf } from './bitmap.ts';
import { FIRST_CHUNK, type IndexPart, readIndexedChunks } from './store.ts';
import { rebuildText } from './text/verify.ts';
import { rebuildChunk } from './verify.ts';

/** Rebuilds the chunks of imported events that are indexed already. Only an event that Unleash committed very late has an id in them. */
export async function rebuildIndexOf(db: Db, ids: number[]): Promise<void> {
  const isIndexed = async (part: IndexPart) => {
    const end = FIRST_CHUNK.imported + (await readIndexedChunks(db, [part], 'imported'));
    return (chunk: number) => chunk < end;
  };
  const chunks = [...new Set(ids.map(chunkOf))];
  for (const chunk of chunks.filter(await isIndexed('filters'))) await rebuildChunk(db, chunk);
  for (const chunk of chunks.filter(await isIndexed('text'))) await rebuildText(db, chunk);
}
