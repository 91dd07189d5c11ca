import type { Reader } from '../../platform/db/database.ts';
import type { EventCursor } from '../events/search-query.ts';
import { firstIdOf, highestPositions, intersectionOf } from './bitmap.ts';
import { addSets, type Match } from './matches.ts';
import type { ClauseSets } from './sets.ts';

/**
 * The ids of the matches within the cursor, newest first, without the first `skip` ones. `matches` begins with the highest chunk. Their
 * counts give the chunks of the page, and only the sets of these chunks are needed.
 */
export async function newestOf(
  db: Reader,
  setsOf: ClauseSets,
  matches: Match[],
  { before = Number.MAX_SAFE_INTEGER, after = Number.MIN_SAFE_INTEGER }: EventCursor,
  skip: number,
  take: number,
): Promise<number[]> {
  const page: { match: Match; skip: number }[] = [];
  let [toSkip, missing] = [skip, take];
  for (const match of matches) {
    if (missing <= 0 || firstIdOf(match.chunk + 1) <= after) break;
    if (firstIdOf(match.chunk) >= before) continue;
    // Only the set of the chunk shows how many of its matches are below `before`. A cursor is never combined with an offset.
    const count = firstIdOf(match.chunk + 1) <= before ? match.count : 0;
    if (count > 0 && toSkip >= count) {
      toSkip -= count;
      continue;
    }
    page.push({ match, skip: toSkip });
    missing -= Math.max(0, count - toSkip);
    toSkip = 0;
  }
  await addSets(
    db,
    setsOf,
    page.map(({ match }) => match).filter(match => !match.sets),
  );
  return page
    .flatMap(({ match, skip }) => {
      const first = firstIdOf(match.chunk);
      const positions = highestPositions(intersectionOf(match.sets ?? []), before - first, skip, take);
      return positions.map(position => first + position);
    })
    .filter(id => id > after)
    .slice(0, take);
}
