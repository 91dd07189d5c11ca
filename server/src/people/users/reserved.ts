import type { Violation } from '@halyard/plane/platform/errors.ts';

/** Letters of other scripts that look like a Latin letter, in lower case. NFKD covers the rest, such as full-width letters. */
const LOOKALIKES: Record<string, string> = {
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
const LATIN_LETTERS_BY_LOOKALIKE = new Map(
  Object.entries(LOOKALIKES).flatMap(([letter, lookalikes]) =>
    [...lookalikes].map(lookalike => [lookalike, letter]),
  ),
);

/**
 * Returns a name as a reader sees it. Letters that look alike become one letter, and a Latin letter beyond A to Z, such as a small
 * capital, becomes "?". Invisible characters and marks are removed. Any run of whitespace, hyphens, dots and underscores becomes a
 * single space.
 */
const toVisibleForm = (name: string): string =>
  [
    ...name
      .normalize('NFKD')
      .replace(/(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/[\s\p{Z}\p{Pd}_.]+/gu, ' ')
      .trim()
      .toLowerCase(),
  ]
    .map(
      character =>
        LATIN_LETTERS_BY_LOOKALIKE.get(character) ?? character.replace(/(?![a-z])\p{Script=Latin}/u, '?'),
    )
    .join('');

/** Returns a pattern that matches the name and everything that a reader could mistake for it. */
const buildLookalikePattern = (name: string): string =>
  toVisibleForm(name).replace(/[a-z]/g, '[$&?]').replaceAll(' ', ' ?');

/** The names that events and lists show for the system, admin tokens, single sign-on and accounts without a name. */
const RESERVED = new RegExp(
  `^(${buildLookalikePattern('system')}|${buildLookalikePattern('single sign on')}|${buildLookalikePattern('user')} \\d+|${buildLookalikePattern('admin token')}([^a-z?].*)?)$`,
  's',
);

/** An admin can give a user one of these names, but new users cannot choose them. */
const RESERVED_AT_SIGNUP = new RegExp(
  `^(${['admin', 'administrator', 'root'].map(buildLookalikePattern).join('|')})$`,
);

/** Returns whether a name looks like one that Halyard uses itself. */
export function isReserved(name: string, selfChosen = false): boolean {
  const visible = toVisibleForm(name);
  return RESERVED.test(visible) || (selfChosen && RESERVED_AT_SIGNUP.test(visible));
}

const buildLetterPattern = (...scripts: string[]) =>
  new RegExp(`[${scripts.map(script => `\\p{Script=${script}}`).join('')}]`, 'u');
const LATIN_LETTER = buildLetterPattern('Latin');
const LOOKALIKE_LETTER = buildLetterPattern('Cyrillic', 'Greek');

/** Returns whether a name mixes Latin letters with Cyrillic or Greek letters, many of which look like Latin letters. */
export const mixesAlphabets = (name: string): boolean =>
  LATIN_LETTER.test(name) && LOOKALIKE_LETTER.test(name);

type Names = { name?: string | null; username?: string | null };

/** Returns a violation for each reserved name, and for a username that can be mistaken for another username. */
export function* findReservedNameViolations(names: Names, selfChosen = false): Generator<Violation> {
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
