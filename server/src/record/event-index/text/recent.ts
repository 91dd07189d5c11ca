import type { Reader } from '../../../platform/db/database.ts';
import { textForms } from '../../events/conditions.ts';
import { addPosition, emptyBitmap, firstIdOf } from '../bitmap.ts';
import type { RecentPostings } from '../recent.ts';
import type { TextMatches } from './find.ts';
import { type LargeTexts, makeLargeTexts } from './large.ts';
import { listTexts, toLowerCase } from './store.ts';

/** Finds a text among the recent events. */
export type RecentTexts = (db: Reader, recent: RecentPostings, text: string) => Promise<TextMatches>;

/** The texts that are kept in memory as they are. The others are large texts. */
const MAX_TEXT_LENGTH = 32_768;
const MAX_LENGTH = 64_000_000;
/** 100 events of 1 MB take a few seconds to read. */
const EVENTS_AT_ONCE = 100;

type Texts = {
  chunk: number;
  upTo: number;
  length: number;
  texts: (string | undefined)[];
  large: LargeTexts;
};

const textsOf = (chunk: number): Texts => ({
  chunk,
  upTo: firstIdOf(chunk) - 1,
  length: 0,
  texts: [],
  large: makeLargeTexts(),
});

/**
 * Makes a reader of the lower-case texts of the recent events, in memory: about 32 MB. To read these events for each search took
 * 0.5 s. Texts are loaded by the first search that needs them.
 */
export function makeRecentTexts(): RecentTexts {
  let known = textsOf(-1);
  let loading: Promise<void> | undefined;

  async function load(db: Reader, { chunk, upTo }: RecentPostings): Promise<void> {
    if (chunk > known.chunk) known = textsOf(chunk);
    while (known.chunk === chunk && known.upTo < upTo) {
      const from = known.upTo + 1 - firstIdOf(chunk);
      const to = Math.min(from + EVENTS_AT_ONCE, upTo + 1 - firstIdOf(chunk));
      for (const { position, text } of await listTexts(db, chunk, from, to)) await keep(position, text);
      known.upTo = firstIdOf(chunk) + to - 1;
    }
  }

  async function keep(position: number, text: string): Promise<void> {
    if (text.length > MAX_TEXT_LENGTH || known.length + text.length > MAX_LENGTH) {
      await known.large.keep(position, text);
      return;
    }
    known.texts[position] = text;
    known.length += text.length;
  }

  return async (db, recent, text) => {
    const forms = await toLowerCase(db, textForms(text));
    while (recent.chunk > known.chunk || (recent.chunk === known.chunk && recent.upTo > known.upTo)) {
      loading ??= load(db, recent).finally(() => {
        loading = undefined;
      });
      await loading;
    }
    return await findIn(recent.chunk === known.chunk ? known : textsOf(recent.chunk), recent, forms);
  };
}

async function findIn(
  { texts, large }: Texts,
  { chunk, upTo }: RecentPostings,
  forms: string[],
): Promise<TextMatches> {
  const matches = { sure: emptyBitmap(), maybe: emptyBitmap() };
  for (let position = 0; position <= upTo - firstIdOf(chunk); position++) {
    const text = texts[position];
    if (text === undefined) {
      if (!large.has(position)) addPosition(matches.maybe, position);
    } else if (forms.some(form => text.includes(form))) addPosition(matches.sure, position);
  }
  for (const position of [...large.positions()]) {
    const finding = position <= upTo - firstIdOf(chunk) ? await large.find(position, forms) : 'absent';
    if (finding === 'found') addPosition(matches.sure, position);
    if (finding === 'unknown') addPosition(matches.maybe, position);
  }
  return matches;
}
