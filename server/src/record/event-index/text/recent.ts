import type { Reader } from '../../../platform/db/database.ts';
import { textForms } from '../../events/conditions.ts';
import { addPosition, emptyBitmap, firstIdOf } from '../bitmap.ts';
import type { RecentPostings } from '../recent.ts';
import type { TextMatches } from './find.ts';
import { MAX_SMALL_LENGTH } from './large.ts';
import { foldCase, listSmallTexts } from './store.ts';

/** Finds a text among the recent events. */
export type RecentTexts = (db: Reader, recent: RecentPostings, text: string) => Promise<TextMatches>;

const MAX_LENGTH = 64_000_000;
/** 100 events of 1 MB take a few seconds to read. */
const EVENTS_AT_ONCE = 100;

type Texts = { chunk: number; upTo: number; length: number; texts: (string | undefined)[] };

const textsOf = (chunk: number): Texts => ({ chunk, upTo: firstIdOf(chunk) - 1, length: 0, texts: [] });

/**
 * Makes a reader of the folded texts of the recent events, in memory: about 32 MB. To read these events for each search took
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
      for (const { position, text } of await listSmallTexts(db, chunk, from, to)) keep(position, text);
      known.upTo = firstIdOf(chunk) + to - 1;
    }
  }

  function keep(position: number, text: string | null): void {
    if (text === null || text.length > MAX_SMALL_LENGTH || known.length + text.length > MAX_LENGTH) return;
    known.texts[position] = text;
    known.length += text.length;
  }

  return async (db, recent, text) => {
    const forms = await foldCase(db, textForms(text));
    while (recent.chunk > known.chunk || (recent.chunk === known.chunk && recent.upTo > known.upTo)) {
      loading ??= load(db, recent).finally(() => {
        loading = undefined;
      });
      await loading;
    }
    return findIn(recent.chunk === known.chunk ? known : textsOf(recent.chunk), recent, forms);
  };
}

/** Events whose text is not kept must be checked. */
function findIn({ texts }: Texts, { chunk, upTo }: RecentPostings, forms: string[]): TextMatches {
  const matches = { sure: emptyBitmap(), maybe: emptyBitmap() };
  for (let position = 0; position <= upTo - firstIdOf(chunk); position++) {
    const text = texts[position];
    if (text === undefined) addPosition(matches.maybe, position);
    else if (forms.some(form => text.includes(form))) addPosition(matches.sure, position);
  }
  return matches;
}
