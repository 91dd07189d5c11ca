import type { Reader } from '../../../platform/db/database.ts';
import { textForms } from '../../events/conditions.ts';
import { addPosition, emptyBitmap, firstIdOf } from '../bitmap.ts';
import type { RecentPostings } from '../recent.ts';
import type { TextMatches } from './find.ts';
import { listTexts, toLowerCase } from './store.ts';

/** Finds a text among the recent events. */
export type RecentTexts = (db: Reader, recent: RecentPostings, text: string) => Promise<TextMatches>;

/** The texts that are kept in memory. Events without a text are checked by PostgreSQL. */
const MAX_TEXT_LENGTH = 32_768;
const MAX_LENGTH = 64_000_000;
const EVENTS_AT_ONCE = 500;

type Texts = { chunk: number; upTo: number; length: number; texts: (string | undefined)[] };

/**
 * Makes a reader of the lower-case texts of the recent events, in memory: about 32 MB. To read these events for each search took
 * 0.5 s. Texts are loaded by the first search that needs them.
 */
export function makeRecentTexts(): RecentTexts {
  let known: Texts = { chunk: -1, upTo: -1, length: 0, texts: [] };
  let loading: Promise<void> | undefined;

  async function load(db: Reader, { chunk, upTo }: RecentPostings): Promise<void> {
    if (chunk > known.chunk) known = { chunk, upTo: firstIdOf(chunk) - 1, length: 0, texts: [] };
    while (known.chunk === chunk && known.upTo < upTo) {
      const from = known.upTo + 1 - firstIdOf(chunk);
      const to = Math.min(from + EVENTS_AT_ONCE, upTo + 1 - firstIdOf(chunk));
      for (const { position, text } of await listTexts(db, chunk, from, to)) keep(position, text);
      known.upTo = firstIdOf(chunk) + to - 1;
    }
  }

  function keep(position: number, text: string): void {
    if (text.length > MAX_TEXT_LENGTH || known.length + text.length > MAX_LENGTH) return;
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
    return findIn(recent.chunk === known.chunk ? known.texts : [], recent, forms);
  };
}

function findIn(
  texts: (string | undefined)[],
  { chunk, upTo }: RecentPostings,
  forms: string[],
): TextMatches {
  const matches = { sure: emptyBitmap(), maybe: emptyBitmap() };
  for (let position = 0; position <= upTo - firstIdOf(chunk); position++) {
    const text = texts[position];
    if (text === undefined) addPosition(matches.maybe, position);
    else if (forms.some(form => text.includes(form))) addPosition(matches.sure, position);
  }
  return matches;
}
