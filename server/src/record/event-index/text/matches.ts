import type { Reader } from '../../../platform/db/database.ts';
import {
  addPosition,
  type Bitmap,
  CHUNK_SIZE,
  chunkOf,
  countBits,
  firstIdOf,
  highestPositions,
  intersect,
  removePosition,
} from '../bitmap.ts';
import { addSets, type Match } from '../matches.ts';
import type { ClauseSets } from '../sets.ts';
import { checkText, findText, type TextMatches } from './find.ts';

/** The searched string, and where the recent events contain it. Events in `except` do not match, whatever they contain. */
export type IndexedText = {
  text: string;
  /** The key of the hashes of the index. */
  key: number;
  recent?: TextMatches | undefined;
  except?: number[];
  /** How long events may be checked. The events below `before` come first, the newest before the others. */
  checkMs: number;
  before?: number | undefined;
};

/** `completeFrom`: if the time was up, matches with lower ids are incomplete, and the counts are lower bounds. */
export type TextResult = { matches: Match[]; completeFrom?: number };

/** Narrows the matches to the events that contain the text. */
export async function withText(
  db: Reader,
  setsOf: ClauseSets,
  matches: Match[],
  { text, key, recent, except = [], checkMs, before = Number.MAX_SAFE_INTEGER }: IndexedText,
): Promise<TextResult> {
  const stored = matches.filter(match => !match.isRecent).map(match => match.chunk);
  const inChunks = await findText({ db, key }, text, stored);
  const both = matches.flatMap(match => {
    const inText = match.isRecent ? recent : inChunks.get(match.chunk);
    return inText ? [{ match, inText }] : [];
  });
  await addSets(
    db,
    setsOf,
    both.map(({ match }) => match).filter(match => !match.sets && match.narrowing.length > 0),
  );
  const sure = new Map<number, Bitmap>();
  const unchecked: number[] = [];
  for (const { match, inText } of both) {
    for (const set of [inText.sure, inText.maybe]) {
      for (const other of match.sets ?? []) intersect(set, other);
      for (const id of except)
        if (chunkOf(id) === match.chunk) removePosition(set, id - firstIdOf(match.chunk));
    }
    sure.set(match.chunk, inText.sure);
    const first = firstIdOf(match.chunk);
    for (const position of highestPositions(inText.maybe, CHUNK_SIZE, 0, CHUNK_SIZE))
      unchecked.push(first + position);
  }
  const ordered = [...unchecked.filter(id => id < before), ...unchecked.filter(id => id >= before)];
  const { found: checkedIds, checked } = await checkText({ db, key }, ordered, text, checkMs);
  for (const id of checkedIds) {
    const bitmap = sure.get(chunkOf(id));
    if (bitmap) addPosition(bitmap, id - firstIdOf(chunkOf(id)));
  }
  const found = both.map(({ match, inText }) => ({
    ...match,
    count: countBits(inText.sure),
    sets: [inText.sure],
  }));
  const next = ordered[checked];
  if (next === undefined) return { matches: found };
  return { matches: found, completeFrom: next < before ? next + 1 : Number.MIN_SAFE_INTEGER };
}
