import type { Reader } from '../../../platform/db/database.ts';
import { textForms } from '../../events/conditions.ts';
import { addPosition, emptyBitmap, firstIdOf } from '../bitmap.ts';
import type { RecentPostings } from '../recent.ts';
import type { TextMatches } from './find.ts';
import { MAX_SMALL_LENGTH } from './large.ts';
import { foldCase, listTexts } from './store.ts';

/** Finds a string among the recent events. */
export type RecentTexts = (db: Reader, recent: RecentPostings, text: string) => Promise<TextMatches>;

/** The maximum number of characters in memory. Events beyond it are checked in the database. */
const MAX_LENGTH = 32_000_000;

type Texts = { chunk: number; upTo: number; length: number; texts: (string | undefined)[] };

const textsOf = (chunk: number): Texts => ({ chunk, upTo: firstIdOf(chunk) - 1, length: 0, texts: [] });

/**
 * Keeps the folded texts of the recent events in memory, about 20 MB, because reading these events took 0.5 s per search. The first
 * search that needs the texts loads them.
 */
export function makeRecentTexts(): RecentTexts {
  let known = textsOf(-1);
  let loading: Promise<void> | undefined;

  async function load(db: Reader, { chunk, upTo }: RecentPostings): Promise<void> {
    if (chunk > known.chunk) known = textsOf(chunk);
    const first = firstIdOf(chunk);
    while (known.chunk === chunk && known.upTo < upTo) {
      const texts = await listTexts(db, chunk, known.upTo + 1 - first);
      const decided = texts.filter(({ position }) => first + position <= upTo);
      for (const { position, text } of decided) keep(position, text);
      known.upTo = first + (decided.at(-1)?.position ?? upTo - first);
    }
  }

  function keep(position: number, text: string): void {
    if (text.length > MAX_SMALL_LENGTH || known.length + text.length > MAX_LENGTH) return;
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
