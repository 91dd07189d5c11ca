import type { Sets } from './sets.ts';

const ASCII = 128;
const NONE = -1;
/** More than the largest code point. */
const CODE_POINTS = 0x110000;

/** The runs of 1 and 2 characters with their sets. */
export function makeGrams(sets: Sets, most: number) {
  /** The sets of runs of ASCII characters by their codes, because a Map takes several times the time. */
  const ascii = new Int32Array(ASCII * (ASCII + 1)).fill(NONE);
  const others = new Map<number, number>();
  let size = 0;

  const setFor = (first: number, second: number): number => {
    const isAscii = first < ASCII && second < ASCII;
    const key = (second + 1) * (isAscii ? ASCII : CODE_POINTS) + first;
    const known = isAscii ? ascii[key] : others.get(key);
    if (known !== undefined && known !== NONE) return known;
    const set = size < most ? sets.next() : NONE;
    if (set === NONE) return NONE;
    size++;
    if (isAscii) ascii[key] = set;
    else others.set(key, set);
    return set;
  };
  return {
    /** Returns false if there is no room for a run. */
    add: (position: number, codes: Uint16Array, length: number): boolean => {
      let before = NONE;
      for (let at = 0; at < length; at++) {
        let code = codes[at] ?? 0;
        // PostgreSQL stores no halves of surrogate pairs, so the second half follows.
        if (code >= 0xd800 && code < 0xdc00)
          code = ((code - 0xd800) << 10) + ((codes[++at] ?? 0xdc00) - 0xdc00) + 0x10000;
        const alone = setFor(code, NONE);
        const pair = before === NONE ? alone : setFor(before, code);
        if (alone === NONE || pair === NONE) return false;
        sets.add(alone, position);
        sets.add(pair, position);
        before = code;
      }
      return true;
    },
    *all(): Generator<{ value: string; set: number }> {
      for (const [key, set] of ascii.entries()) if (set !== NONE) yield { value: textOf(key, ASCII), set };
      for (const [key, set] of others) yield { value: textOf(key, CODE_POINTS), set };
    },
  };
}

function textOf(key: number, characters: number): string {
  const second = Math.floor(key / characters) - 1;
  const first = String.fromCodePoint(key % characters);
  return second === NONE ? first : first + String.fromCodePoint(second);
}
