import { addPosition, type Entry, makeEntries } from './entries.ts';
import { beginningsOf, isInString, splitText } from './split.ts';

/** Bounds of the memory that a chunk takes. */
const MAX_TOKENS = 16_000_000;
const MAX_DISTINCT = 1_000_000;

/** Between the members of a JSON object. Most members are in many events, so their tokens are kept: it halves the time. */
const BOUNDARY = ', "';
const MAX_PART_LENGTH = 80;
const MAX_PARTS = 200_000;

/** A part of a text: the separator before its first word, the one after its last word, the tokens from word to word, and its members. */
type Part = { first: string; last: string; tokens: number[]; members: Entry[] };

const MEMBER = /("(?:[^"\\]|\\.)*")(: (?:("(?:[^"\\]|\\.)*")|[^\s",[\]{}]+))?/g;

/** The JSON strings with their quotes, and the members of objects with plain values: `"name": "checkout"`. */
function membersOf(text: string): string[] {
  const members: string[] = [];
  for (const [member, key, value, string] of text.matchAll(MEMBER)) {
    if (value) members.push(member);
    if (value) members.push(`${key}: `);
    const plain = value ? string : key;
    if (plain) members.push(plain);
  }
  return members;
}

/** The texts of a chunk as numbers of words and separators: separator, word, separator, …, word, separator for each event. */
export function makeTokens() {
  const words = makeEntries();
  const separators = makeEntries();
  const events: { position: number; end: number }[] = [];
  let tokens = new Uint32Array(1 << 16);
  let size = 0;

  const push = (token: number) => {
    if (size === tokens.length) {
      const larger = new Uint32Array(size * 2);
      larger.set(tokens);
      tokens = larger;
    }
    tokens[size++] = token;
  };
  const members = makeEntries();
  const known = new Map<string, Part>();
  const tokensOf = (text: string): Part => {
    const cached = known.get(text);
    if (cached) return cached;
    const pieces = splitText(text);
    const tokens: number[] = [];
    for (const [n, word] of pieces.words.entries()) {
      if (n > 0) tokens.push(separators.get(pieces.separators[n] ?? '').id);
      tokens.push(words.get(word).id);
    }
    const first = pieces.separators[0] ?? '';
    const last = tokens.length > 0 ? (pieces.separators.at(-1) ?? '') : '';
    if (text.length > MAX_PART_LENGTH) return { first, last, tokens, members: [] };
    // The boundary took the first quote of all parts but the first one.
    const ofPart = membersOf(text.startsWith('{') ? text : `"${text}`);
    const part = { first, last, tokens, members: ofPart.map(members.get) };
    if (known.size < MAX_PARTS) known.set(text, part);
    return part;
  };
  const beginnings = makeEntries();
  const beginningsAt: Entry[][] = [];
  const inString: boolean[] = [];
  const wordAt = (token: number) => words.list[tokens[token] ?? 0]?.text ?? '';
  const separatorAt = (token: number) => separators.list[tokens[token] ?? 0]?.text ?? '';
  return {
    words: words.list,
    separators: separators.list,
    members: members.list,
    isFull: () =>
      size > MAX_TOKENS || [words, separators, members].some(({ list }) => list.length > MAX_DISTINCT),
    add: (position: number, text: string) => {
      // The separator that the parts of the text have between them is put together again.
      let before = '';
      for (const [n, part] of text.split(BOUNDARY).entries()) {
        const { first, last, tokens, members } = tokensOf(part);
        for (const member of members) addPosition(member, position);
        if (n > 0) before += BOUNDARY;
        before += first;
        if (tokens.length === 0) continue;
        push(separators.get(before).id);
        for (let at = 0; at < tokens.length; at++) {
          const token = tokens[at] ?? 0;
          if (at % 2 === 0) addPosition(words.list[token] as Entry, position);
          push(token);
        }
        before = last;
      }
      push(separators.get(before).id);
      events.push({ position, end: size });
    },
    size: () => size,
    at: (token: number): number => tokens[token] ?? 0,
    /** Calls with the position, the token of each word, and the end of the tokens of its event. */
    eachWord: (call: (position: number, token: number, end: number) => void) => {
      let start = 0;
      for (const { position, end } of events) {
        for (let token = start + 1; token < end; token += 2) call(position, token, end);
        start = end;
      }
    },
    /** The text of some words from a token on, with the separators between them. */
    textOf: (token: number, count: number): string => {
      let text = wordAt(token);
      for (let next = token + 2; next < token + 2 * count; next += 2)
        text += separatorAt(next - 1) + wordAt(next);
      return text;
    },
    separatorAt,
    isInString: (token: number): boolean => {
      const id = tokens[token] ?? 0;
      inString[id] ??= isInString(separatorAt(token));
      return inString[id];
    },
    /** The beginnings of the word after the separator at a token. */
    beginningsAfter: (token: number): Entry[] => {
      const key = 2 * (tokens[token + 1] ?? 0) + (separatorAt(token).includes(' ') ? 1 : 0);
      beginningsAt[key] ??= beginningsOf(wordAt(token + 1), separatorAt(token)).map(beginnings.get);
      return beginningsAt[key];
    },
  };
}

export type Tokens = ReturnType<typeof makeTokens>;
