import { type Bitmap, emptyBitmap, unite } from '../bitmap.ts';
import { enlarge } from './lexicon.ts';
import { toStored } from './position-sets.ts';
import type { TextPosting } from './posting.ts';
import type { Tokens } from './tokens.ts';
import { makeTriples, NO_ROOM } from './triples.ts';

const ASCII = 128;
const BITMAP = emptyBitmap().length;

/**
 * Collects the runs of 1 and 2 ASCII characters, as bitmaps by their codes: a chunk has about 700 different ones. A character is in
 * the events of the runs that end with it, and in those that begin with it.
 */
export function makeAsciiGrams() {
  const places = new Int32Array(ASCII * (ASCII + 1)).fill(-1);
  let bitmaps = new Uint32Array(64 * BITMAP);
  let used = 0;

  const placeFor = (key: number): number => {
    const place = used;
    used += BITMAP;
    if (used > bitmaps.length) bitmaps = enlarge(bitmaps, new Uint32Array(2 * bitmaps.length));
    places[key] = place;
    return place;
  };
  const bitmapOf = (key: number): Bitmap => {
    const place = places[key] ?? -1;
    return place === -1 ? emptyBitmap() : bitmaps.subarray(place, place + BITMAP);
  };
  return {
    add: (position: number, codes: Uint16Array, length: number): void => {
      const [word, bit] = [position >>> 5, 1 << (position & 31)];
      let before = ASCII;
      for (let at = 0; at < length; at++) {
        const code = codes[at] ?? 0;
        // The first ASCII character of a run of them is noted alone, the others with the character before them.
        if (code < ASCII) {
          const key = before < ASCII ? ASCII * (before + 1) + code : code;
          let place = places[key] ?? -1;
          if (place === -1) place = placeFor(key);
          bitmaps[place + word] = (bitmaps[place + word] ?? 0) | bit;
        }
        before = code;
      }
    },
    *postings(): Generator<TextPosting> {
      for (let code = 0; code < ASCII; code++) {
        const alone = bitmapOf(code).slice();
        for (let before = 0; before < ASCII; before++) {
          const key = ASCII * (before + 1) + code;
          if (places[key] === -1) continue;
          unite(alone, bitmapOf(key));
          const value = String.fromCharCode(before, code);
          yield { dimension: 'gram', value, ...toStored(bitmapOf(key)) };
        }
        const set = toStored(alone);
        if (set.count > 0) yield { dimension: 'gram', value: String.fromCharCode(code), ...set };
      }
    },
  };
}

const NO_CHARACTER = -1;

/** The runs of 1 and 2 characters with a character outside of ASCII. All these characters are in words. */
export function* wideGrams(
  tokens: Tokens,
  shareOf: (position: number) => number,
  onFull: (position: number) => void,
): Generator<TextPosting> {
  const { words, separators } = tokens;
  const isWide = wideWords(tokens);
  if (!isWide.includes(1)) return;
  const grams = makeTriples();
  const note = (position: number, a: number, b: number) => {
    if (a < ASCII && b < ASCII) return;
    if (grams.note(a, b, 0, position, shareOf(position)) === NO_ROOM) onFull(position);
  };
  tokens.eachWord((position, at) => {
    const word = tokens.wordAt(at);
    if (isWide[word] !== 1) return;
    const [before, after] = [tokens.separatorAt(at), tokens.separatorAt(at + 1)];
    let previous =
      separators.lengthOf(before) > 0
        ? (separators.codes()[separators.endOf(before) - 1] ?? NO_CHARACTER)
        : NO_CHARACTER;
    for (const character of words.textOf(word)) {
      const code = character.codePointAt(0) ?? 0;
      note(position, code, NO_CHARACTER);
      if (previous !== NO_CHARACTER) note(position, previous, code);
      previous = code;
    }
    if (separators.lengthOf(after) > 0)
      note(position, previous, separators.codes()[separators.startOf(after)] ?? 0);
  });
  for (const { id, count, positions } of grams.stored()) {
    const [a, b] = grams.keyOf(id);
    const value = b === NO_CHARACTER ? String.fromCodePoint(a) : String.fromCodePoint(a, b);
    yield { dimension: 'gram', value, count, positions };
  }
}

/** 1 for each word with a character outside of ASCII. */
function wideWords({ words }: Tokens): Uint8Array {
  const codes = words.codes();
  const isWide = new Uint8Array(words.size());
  for (let word = 0; word < isWide.length; word++) {
    for (let at = words.startOf(word); at < words.endOf(word); at++)
      if ((codes[at] ?? 0) >= ASCII) isWide[word] = 1;
  }
  return isWide;
}
