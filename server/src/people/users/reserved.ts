import type { Violation } from '../../../../plane/src/platform/errors.ts';

/** Letters of other scripts that look like a Latin letter, in lower case. NFKC covers the rest, such as full-width letters. */
const LOOKALIKES_OF: Record<string, string> = {
  a: 'аαꭺꓮ',
  d: 'ԁдδꭰꓓ',
  e: 'еєεꭼꓰ',
  g: 'ցԍꮐꓖ',
  i: 'іӏιlꭵꮮꓲꓡ1|',
  k: 'кκꮶꓗ',
  m: 'мμꮇꓟ',
  n: 'пиոηνꓠ',
  o: 'оοσօꓳ0',
  r: 'гяꮢꓣ',
  s: 'ѕςꮪꓢ',
  t: 'тτꭲꓔ',
  y: 'уүυγuսцꮍꓬꓴ',
};
const LATIN_LETTER_OF = new Map(
  Object.entries(LOOKALIKES_OF).flatMap(([letter, others]) => [...others].map(other => [other, letter])),
);

/**
 * A name as a reader sees it. Letters that look alike become one letter, and a Latin letter beyond A to Z, such as a small
 * capital, becomes "?". Invisible characters and marks are removed. Whitespace, hyphens, dots and underscores are one space.
 */
const shown = (name: string): string =>
  [
    ...name
      .normalize('NFKD')
      .replace(/(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/[\s\p{Z}\p{Pd}_.]+/gu, ' ')
      .trim()
      .toLowerCase(),
  ]
    .map(character => LATIN_LETTER_OF.get(character) ?? character.replace(/(?![a-z])\p{Script=Latin}/u, '?'))
    .join('');

/** Matches the name and everything that a reader could mistake for it. */
const readsAs = (name: string): string => shown(name).replace(/[a-z]/g, '[$&?]').replaceAll(' ', ' ?');

/** The names of the system, admin tokens, single sign-on and accounts without a name in events and lists. */
const RESERVED = new RegExp(
  `^(${readsAs('system')}|${readsAs('single sign on')}|${readsAs('user')} \\d+|${readsAs('admin token')}([^a-z?].*)?)$`,
  's',
);

/** An admin can give a user one of these names, but new users cannot choose them. */
const RESERVED_AT_SIGNUP = new RegExp(`^(${['admin', 'administrator', 'root'].map(readsAs).join('|')})$`);

/** Whether a name looks like one that Halyard uses itself. */
export function isReserved(name: string, selfChosen = false): boolean {
  const visible = shown(name);
  return RESERVED.test(visible) || (selfChosen && RESERVED_AT_SIGNUP.test(visible));
}

const hasLetterOf = (...scripts: string[]) =>
  new RegExp(`[${scripts.map(script => `\\p{Script=${script}}`).join('')}]`, 'u');
const LATIN = hasLetterOf('Latin');
const LOOKALIKES = hasLetterOf('Cyrillic', 'Greek');

/** Whether a name mixes Latin letters with Cyrillic or Greek letters, many of which look like Latin ones. */
export const mixesAlphabets = (name: string): boolean => LATIN.test(name) && LOOKALIKES.test(name);

type Names = { name?: string | null; username?: string | null };

/** A violation for each reserved name, and for a username that can look like another one. */
export function* reservedNames(names: Names, selfChosen = false): Generator<Violation> {
  if (names.username && mixesAlphabets(names.username)) {
    yield {
      message: `username "${names.username}" mixes Latin letters with Cyrillic or Greek letters. Use letters of one alphabet`,
      path: '/body/username',
    };
  }
  for (const field of ['name', 'username'] as const) {
    const value = names[field];
    if (value && isReserved(value, selfChosen)) {
      yield {
        message: `${field} "${value}" is reserved, because it looks like a name that Halyard uses in events. Choose a different one`,
        path: `/body/${field}`,
      };
    }
  }
}
