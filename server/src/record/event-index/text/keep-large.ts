import type { Db, Reader } from '../../../platform/db/database.ts';
import { readWatermark } from '../../events/tail.ts';
import { filterOf, MAX_SMALL_LENGTH } from './large.ts';
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
 * Stores the texts of the next large events, in one transaction. Returns whether there are more events to look at. Only one
 * process does it at a time; the others return immediately. A large event without a stored text is found too, but slowly.
 */
export async function keepLargeTexts(db: Db): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    const last = await lockLargeProgress(tx);
    const key = await readKey(tx);
    if (last === undefined || key === undefined) return false;
    const watermark = await readWatermark(tx);
    const end = Math.min(watermark, last + IDS_PER_BATCH);
    if (end <= last) return false;
    const ids = await listLikelyLarge(tx, last, end, EVENTS_PER_BATCH);
    for (const id of ids) await keepIfLarge(tx, key, id);
    const done = ids.length < EVENTS_PER_BATCH ? end : (ids.at(-1) ?? end);
    await updateLargeProgress(tx, done);
    return done < watermark;
  });
}

async function keepIfLarge(db: Reader, key: number, id: number): Promise<void> {
  const text = await findFoldedText(db, id);
  if (text !== undefined && text.length > MAX_SMALL_LENGTH)
    await upsertLargeText(db, key, { id, filter: filterOf(key, text), text });
}

/** Compares every stored text with its event. Returns the ids of those that differ. */
export async function findWrongLargeTexts(
  db: Db,
  onText: (compared: number, of: number) => void,
): Promise<number[]> {
  const wrong: number[] = [];
  const key = (await readKey(db)) ?? 0;
  for (let [after, compared] = [0, 0]; ; ) {
    const stored = await listLargeTexts(db, key, after, EVENTS_PER_BATCH);
    for (const { id, filter, text } of stored) {
      if (text !== (await findFoldedText(db, id)) || !filter.equals(filterOf(key, text))) wrong.push(id);
      compared++;
      onText(compared, compared);
    }
    const last = stored.at(-1);
    if (!last) return wrong;
    after = last.id;
  }
}

export const rebuildLargeText = async (db: Db, id: number): Promise<void> =>
  await keepIfLarge(db, (await readKey(db)) ?? 0, id);
