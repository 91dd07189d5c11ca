import type { Reader } from '../../../platform/db/database.ts';
import { listTextForms } from '../../events/conditions.ts';
import { addPosition, emptyBitmap, getFirstId } from '../bitmap.ts';
import type { RecentPostings } from '../recent.ts';
import type { TextMatches } from './find.ts';
import { MAX_SMALL_LENGTH } from './large.ts';
import { foldCase, listTexts } from './store.ts';

/** Finds the recent events that contain a string. */
export type RecentTexts = (db: Reader, recent: RecentPostings, text: string) => Promise<TextMatches>;

/** The maximum number of characters in memory. Events beyond this limit are checked in the database. */
const MAX_TOTAL_LENGTH = 32_000_000;

type ChunkTexts = { chunk: number; lastId: number; length: number; texts: (string | undefined)[] };

const emptyTexts = (chunk: number): ChunkTexts => ({
  chunk,
  lastId: getFirstId(chunk) - 1,
  length: 0,
  texts: [],
});

/**
 * Keeps the case-folded texts of the recent events in memory, about 20 MB, because reading these events took 0.5 s per search. The
 * first search that needs the texts loads them.
 */
export function makeRecentTexts(): RecentTexts {
  let loadedTexts = emptyTexts(-1);
  let pendingLoad: Promise<void> | undefined;

  async function load(db: Reader, { chunk, lastId }: RecentPostings): Promise<void> {
    if (chunk > loadedTexts.chunk) loadedTexts = emptyTexts(chunk);
    const firstId = getFirstId(chunk);
    while (loadedTexts.chunk === chunk && loadedTexts.lastId < lastId) {
      const texts = await listTexts(db, chunk, loadedTexts.lastId + 1 - firstId);
      const committedTexts = texts.filter(({ position }) => firstId + position <= lastId);
      for (const { position, text } of committedTexts) addText(position, text);
      loadedTexts.lastId = firstId + (committedTexts.at(-1)?.position ?? lastId - firstId);
    }
  }

  function addText(position: number, text: string): void {
    if (text.length > MAX_SMALL_LENGTH || loadedTexts.length + text.length > MAX_TOTAL_LENGTH) return;
    loadedTexts.texts[position] = text;
    loadedTexts.length += text.length;
  }

  return async (db, recent, text) => {
    const forms = await foldCase(db, listTextForms(text));
    while (
      recent.chunk > loadedTexts.chunk ||
      (recent.chunk === loadedTexts.chunk && recent.lastId > loadedTexts.lastId)
    ) {
      pendingLoad ??= load(db, recent).finally(() => {
        pendingLoad = undefined;
      });
      await pendingLoad;
    }
    return findMatches(
      recent.chunk === loadedTexts.chunk ? loadedTexts : emptyTexts(recent.chunk),
      recent,
      forms,
    );
  };
}

/** Finds the events whose text contains one of the forms. Events whose text is not in memory must be checked. */
function findMatches({ texts }: ChunkTexts, { chunk, lastId }: RecentPostings, forms: string[]): TextMatches {
  const matches = { sure: emptyBitmap(), maybe: emptyBitmap() };
  for (let position = 0; position <= lastId - getFirstId(chunk); position++) {
    const text = texts[position];
    if (text === undefined) addPosition(matches.maybe, position);
    else if (forms.some(form => text.includes(form))) addPosition(matches.sure, position);
  }
  return matches;
}
