import type { Reader } from '../../../platform/db/database.ts';
import {
  addPosition,
  type Bitmap,
  CHUNK_SIZE,
  countBits,
  getFirstId,
  highestPositions,
  intersect,
  removePosition,
  toChunk,
} from '../bitmap.ts';
import { addSets, type ChunkMatch } from '../matches.ts';
import type { ClauseSets } from '../sets.ts';
import { checkText, findText, type TextMatches } from './find.ts';

/**
 * The searched string, and where the recent events contain it. Events in `excludedIds` do not match, even if they contain the
 * string.
 */
export type IndexedText = {
  text: string;
  /** The key of the index's hashes. */
  key: number;
  recent?: TextMatches | undefined;
  excludedIds?: number[];
  /** How long events may be checked. Events with ids below `before` are checked first, newest first. */
  checkMs: number;
  before?: number | undefined;
};

/** If the time ran out, matches with ids below `completeFrom` are incomplete, and the counts are lower bounds. */
export type TextResult = { matches: ChunkMatch[]; completeFrom?: number };

/** Narrows the matches to the events that contain the text. */
export async function narrowByText(
  db: Reader,
  loadSets: ClauseSets,
  matches: ChunkMatch[],
  { text, key, recent, excludedIds = [], checkMs, before = Number.MAX_SAFE_INTEGER }: IndexedText,
): Promise<TextResult> {
  const storedChunks = matches.filter(match => !match.isRecent).map(match => match.chunk);
  const matchesByChunk = await findText({ db, key }, text, storedChunks);
  const candidates = matches.flatMap(match => {
    const textMatches = match.isRecent ? recent : matchesByChunk.get(match.chunk);
    return textMatches ? [{ match, textMatches }] : [];
  });
  await addSets(
    db,
    loadSets,
    candidates.map(({ match }) => match).filter(match => !match.sets && match.narrowingClauses.length > 0),
  );
  const sure = new Map<number, Bitmap>();
  const uncheckedIds: number[] = [];
  for (const { match, textMatches } of candidates) {
    for (const set of [textMatches.sure, textMatches.maybe]) {
      for (const other of match.sets ?? []) intersect(set, other);
      for (const id of excludedIds)
        if (toChunk(id) === match.chunk) removePosition(set, id - getFirstId(match.chunk));
    }
    sure.set(match.chunk, textMatches.sure);
    const first = getFirstId(match.chunk);
    for (const position of highestPositions(textMatches.maybe, CHUNK_SIZE, 0, CHUNK_SIZE))
      uncheckedIds.push(first + position);
  }
  const orderedIds = [...uncheckedIds.filter(id => id < before), ...uncheckedIds.filter(id => id >= before)];
  const { foundIds, checkedCount } = await checkText({ db, key }, orderedIds, text, checkMs);
  for (const id of foundIds) {
    const bitmap = sure.get(toChunk(id));
    if (bitmap) addPosition(bitmap, id - getFirstId(toChunk(id)));
  }
  const foundMatches = candidates.map(({ match, textMatches }) => ({
    ...match,
    count: countBits(textMatches.sure),
    sets: [textMatches.sure],
  }));
  const nextId = orderedIds[checkedCount];
  if (nextId === undefined) return { matches: foundMatches };
  return { matches: foundMatches, completeFrom: nextId < before ? nextId + 1 : Number.MIN_SAFE_INTEGER };
}
