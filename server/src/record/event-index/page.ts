import type { Reader } from '../../platform/db/database.ts';
import type { EventCursor } from '../events/search-query.ts';
import { getFirstId, highestPositions, intersectAll } from './bitmap.ts';
import { addSets, type ChunkMatch } from './matches.ts';
import type { ClauseSets } from './sets.ts';

/**
 * Returns the ids of the matches within the cursor, newest first, skipping the first `skip`. `matches` begins with the highest
 * chunk. Their counts give the chunks of the page, and only the sets of these chunks are needed.
 */
export async function newestIds(
  db: Reader,
  loadSets: ClauseSets,
  matches: ChunkMatch[],
  { before = Number.MAX_SAFE_INTEGER, after = Number.MIN_SAFE_INTEGER }: EventCursor,
  skip: number,
  limit: number,
): Promise<number[]> {
  const page: { match: ChunkMatch; skip: number }[] = [];
  let [remainingSkips, remainingRows] = [skip, limit];
  for (const match of matches) {
    if (remainingRows <= 0 || getFirstId(match.chunk + 1) <= after) break;
    if (getFirstId(match.chunk) >= before) continue;
    // Only the chunk's set shows how many of its matches are below `before`. A cursor is never combined with an offset.
    const count = getFirstId(match.chunk + 1) <= before ? match.count : 0;
    if (count > 0 && remainingSkips >= count) {
      remainingSkips -= count;
      continue;
    }
    page.push({ match, skip: remainingSkips });
    remainingRows -= Math.max(0, count - remainingSkips);
    remainingSkips = 0;
  }
  await addSets(
    db,
    loadSets,
    page.map(({ match }) => match).filter(match => !match.sets),
  );
  return page
    .flatMap(({ match, skip }) => {
      const first = getFirstId(match.chunk);
      const positions = highestPositions(intersectAll(match.sets ?? []), before - first, skip, limit);
      return positions.map(position => first + position);
    })
    .filter(id => id > after)
    .slice(0, limit);
}
