import { makeCounts } from './counts.ts';
import { enlarge, makeLexicon } from './lexicon.ts';
import { FREQUENT_PHRASE, type Phrase } from './posting.ts';
import { makeTriples } from './triples.ts';

/** Longer strings are found by their words. */
const MAX_LENGTH = 80;

const [QUOTE, BACKSLASH, COLON, SPACE] = [...'"\\: '].map(character => character.charCodeAt(0));
const ENDS_VALUE = new Set([...' \n\t\r",[]{}'].map(character => character.charCodeAt(0)));
/** Instead of the number of a value: a string alone, and a key with its colon. */
const ALONE = -1;
const ANY_VALUE = -2;

/**
 * Collects JSON strings with their quotes, and members of objects with plain values: `"name": "checkout"`. Each is a pair of numbers:
 * a key and its value, or a string alone.
 */
export function makeMembers() {
  const strings = makeLexicon();
  const counts = makeCounts();
  const events: { position: number; end: number }[] = [];
  let log = new Int32Array(1 << 16);
  let size = 0;

  const numberOf = (position: number, codes: Uint16Array, from: number, to: number): number | undefined => {
    if (to - from > MAX_LENGTH || strings.isFull()) return undefined;
    const string = strings.idOf(codes, from, to);
    counts.note(string, position);
    return string;
  };
  const push = (first: number, second: number) => {
    if (size + 2 > log.length) log = enlarge(log, new Int32Array(2 * log.length));
    log[size++] = first;
    log[size++] = second;
  };
  const eachMember = (call: (position: number, first: number, second: number) => void): void => {
    let start = 0;
    for (const { position, end } of events) {
      for (let at = start; at < end; at += 2) call(position, log[at] ?? 0, log[at + 1] ?? 0);
      start = end;
    }
  };
  return {
    add: (position: number, codes: Uint16Array, length: number): void => {
      for (let at = 0; at < length; ) {
        if (codes[at] !== QUOTE) {
          at++;
          continue;
        }
        const end = endOfString(codes, at, length);
        const key = numberOf(position, codes, at, end);
        const value = codes[end] === COLON && codes[end + 1] === SPACE ? end + 2 : length;
        const valueEnd = endOfValue(codes, value, length);
        at = valueEnd > value ? valueEnd : end;
        if (valueEnd === value) {
          if (key !== undefined) push(key, ALONE);
          continue;
        }
        const number = numberOf(position, codes, value, valueEnd);
        if (key !== undefined) push(key, number ?? ANY_VALUE);
        else if (number !== undefined && codes[value] === QUOTE) push(number, ALONE);
      }
      events.push({ position, end: size });
    },
    *phrases(): Generator<Phrase> {
      const members = makeTriples();
      const isFrequent = (string: number) => counts.countOf(string) >= FREQUENT_PHRASE;
      const isString = (string: number) => strings.codes()[strings.startOf(string)] === QUOTE;
      const note = (position: number, first: number, second: number) => {
        if (second < 0 ? isFrequent(first) : isFrequent(first) && isFrequent(second))
          members.note(first, second, 0, position);
        if (second < 0) return;
        note(position, first, ANY_VALUE);
        if (isString(second)) note(position, second, ALONE);
      };
      eachMember(note);
      for (const { id, ...set } of members.stored(id => members.countOf(id) >= FREQUENT_PHRASE)) {
        const [first, second] = members.keyOf(id);
        const colon = second === ALONE ? '' : ': ';
        const value = second < 0 ? '' : strings.textOf(second);
        yield { text: strings.textOf(first) + colon + value, ...set };
      }
    },
  };
}

/** The end of a string that begins with the quote at `start`. */
function endOfString(codes: Uint16Array, start: number, length: number): number {
  let at = start + 1;
  while (at < length && codes[at] !== QUOTE) at += codes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, length);
}

function endOfValue(codes: Uint16Array, start: number, length: number): number {
  if (codes[start] === QUOTE) return endOfString(codes, start, length);
  let at = start;
  while (at < length && !ENDS_VALUE.has(codes[at] ?? 0)) at++;
  return at;
}
