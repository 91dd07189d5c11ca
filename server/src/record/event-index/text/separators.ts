import { makeCounts } from './counts.ts';
import { makePositionSets } from './position-sets.ts';
import type { TextPosting } from './posting.ts';
import type { Tokens } from './tokens.ts';
import { frequentOf, rareGrams } from './words.ts';

/** Shorter separators are runs of characters of `grams.ts`. */
const MIN_LENGTH = 3;

/**
 * The frequent separators, and the runs of 3 characters of the others. A text without letters and digits is always inside of one
 * separator, so these decide where it occurs, as words do for a text without separators.
 */
export function* separatorPostings(
  tokens: Tokens,
  shareOf: (position: number) => number,
  onFull: (position: number) => void,
): Generator<TextPosting> {
  const { separators } = tokens;
  const counts = makeCounts();
  const each = (call: (position: number, separator: number) => void) =>
    tokens.eachSeparator((position, separator) => {
      if (separators.lengthOf(separator) >= MIN_LENGTH) call(position, separator);
    });
  each((position, separator) => counts.note(separator, position));
  const isFrequent = frequentOf(separators, counts.countOf);
  const sets = makePositionSets(counts.counts(), separators.size(), separator => isFrequent[separator] === 1);
  each((position, separator) => sets.add(separator, position));
  for (let separator = 0; separator < separators.size(); separator++) {
    if (!sets.isChosen(separator)) continue;
    const set = { count: sets.countOf(separator), positions: sets.stored(separator) };
    yield { dimension: 'separator', value: separators.textOf(separator), ...set };
  }
  yield* rareGrams(separators, each, isFrequent, shareOf, onFull);
}
