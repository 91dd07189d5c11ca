import { makeCounts } from './counts.ts';
import { enlarge, makeLexicon } from './lexicon.ts';
import { isInString, isWordCode } from './split.ts';

/** Bound of the memory of a chunk: 6 bytes per word. */
const MAX_WORDS = 6_000_000;
/** Numbers of separators have 2 bytes. One more text has up to 16,384 separators. */
const MAX_SEPARATORS = 49_000;

/**
 * The texts of a chunk as numbers of words and separators. Word n follows separator n. An event has a separator more than words, so
 * the place of a word after its last separator is empty.
 */
export function makeTokens() {
  const words = makeLexicon();
  const separators = makeLexicon(MAX_SEPARATORS);
  const counts = makeCounts();
  const events: { position: number; end: number }[] = [];
  /** Per separator: whether it is inside of a JSON string, and whether it has a space. Unknown until asked for. */
  const inString: boolean[] = [];
  const withSpace: boolean[] = [];
  let wordAt = new Uint32Array(1 << 16);
  let separatorAt = new Uint16Array(1 << 16);
  let size = 0;

  const pushSeparator = (codes: Uint16Array, from: number, to: number) => {
    if (size === wordAt.length) {
      wordAt = enlarge(wordAt, new Uint32Array(2 * size));
      separatorAt = enlarge(separatorAt, new Uint16Array(2 * size));
    }
    separatorAt[size] = separators.idOf(codes, from, to);
  };
  return {
    words,
    separators,
    counts,
    /** Whether that share of the room is taken. */
    isFull: (share = 1) => size > share * MAX_WORDS || words.isFull(share) || separators.isFull(share),
    /** Adds the text of an event, or a slice of it: the first `length` codes. */
    add: (position: number, codes: Uint16Array, length: number): void => {
      for (let at = 0; ; size++) {
        const separatorStart = at;
        while (at < length && !isWordCode(codes[at] ?? 0)) at++;
        pushSeparator(codes, separatorStart, at);
        if (at === length) break;
        const wordStart = at;
        while (at < length && isWordCode(codes[at] ?? 0)) at++;
        const word = words.idOf(codes, wordStart, at);
        wordAt[size] = word;
        counts.note(word, position);
      }
      size++;
      events.push({ position, end: size });
    },
    size: () => size,
    wordAt: (at: number): number => wordAt[at] ?? 0,
    separatorAt: (at: number): number => separatorAt[at] ?? 0,
    /** Calls with the position and the place of each word, and the place of the last separator of its event. */
    eachWord: (call: (position: number, at: number, last: number) => void): void => {
      let start = 0;
      for (const { position, end } of events) {
        for (let at = start; at < end - 1; at++) call(position, at, end - 1);
        start = end;
      }
    },
    /** Calls with the position and the number of each separator. */
    eachSeparator: (call: (position: number, separator: number) => void): void => {
      let start = 0;
      for (const { position, end } of events) {
        for (let at = start; at < end; at++) call(position, separatorAt[at] ?? 0);
        start = end;
      }
    },
    isInString: (separator: number): boolean => {
      inString[separator] ??= isInString(separators.textOf(separator));
      return inString[separator];
    },
    hasSpace: (separator: number): boolean => {
      withSpace[separator] ??= separators.textOf(separator).includes(' ');
      return withSpace[separator];
    },
  };
}

export type Tokens = ReturnType<typeof makeTokens>;
