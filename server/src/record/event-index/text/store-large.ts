import type { Db, Reader } from '../../../platform/db/database.ts';
import { readWatermark } from '../../events/tail.ts';
import { buildTextFilter, MAX_SMALL_LENGTH } from './large.ts';
import {
  findFoldedText,
  listLargeTexts,
  listLikelyLarge,
  lockLargeProgress,
  readKey,
  updateLargeProgress,
  upsertLargeText,
} from './store.ts';

const IDS_PER_BATCH = 10_000;
/** 20 events of 500,000 characters take about 1 s. */
const EVENTS_PER_BATCH = 20;

/**
 * Stores the texts of the next large events in one transaction. Returns whether there are more events to examine. Only one process
 * stores texts at a time, and the others return immediately. A large event without a stored text is still found, but slowly.
 */
export async function storeLargeTexts(db: Db): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const lastId = await lockLargeProgress(tx);
    const key = await readKey(tx);
    if (lastId === undefined || key === undefined) return false;
    const watermark = await readWatermark(tx);
    const end = Math.min(watermark, lastId + IDS_PER_BATCH);
    if (end <= lastId) return false;
    const ids = await listLikelyLarge(tx, lastId, end, EVENTS_PER_BATCH);
    for (const id of ids) await storeIfLarge(tx, key, id);
    const newLastId = ids.length < EVENTS_PER_BATCH ? end : (ids.at(-1) ?? end);
    await updateLargeProgress(tx, newLastId);
    return newLastId < watermark;
  });
}

async function storeIfLarge(db: Reader, key: number, id: number): Promise<void> {
  const text = await findFoldedText(db, id);
  if (text !== undefined && text.length > MAX_SMALL_LENGTH)
    await upsertLargeText(db, key, { id, filter: buildTextFilter(key, text), text });
}

/** Compares every stored text with its event. Returns the ids of the events whose stored text differs. */
export async function findWrongLargeTexts(
  db: Db,
  onText: (comparedCount: number, total: number) => void,
): Promise<number[]> {
  const wrongIds: number[] = [];
  const key = (await readKey(db)) ?? 0;
  for (let [afterId, comparedCount] = [0, 0]; ; ) {
    const storedTexts = await listLargeTexts(db, key, afterId, EVENTS_PER_BATCH);
    for (const { id, filter, text } of storedTexts) {
      if (text !== (await findFoldedText(db, id)) || !filter.equals(buildTextFilter(key, text)))
        wrongIds.push(id);
      comparedCount++;
      onText(comparedCount, comparedCount);
    }
    const lastText = storedTexts.at(-1);
    if (!lastText) return wrongIds;
    afterId = lastText.id;
  }
}

export const rebuildLargeText = async (db: Db, id: number): Promise<void> =>
  await storeIfLarge(db, (await readKey(db)) ?? 0, id);
