import type { Violation } from '../../platform/errors.ts';

/** The names of the system, admin tokens, single sign-on and accounts without a name in events and lists. */
const RESERVED = /^(system|admin token|single sign on|user \d+)$/;

/** `admin` is the name of the first admin tokens in events. An admin can give a user this name, a new user cannot choose it. */
const RESERVED_AT_SIGNUP = /^(admin|administrator|root)$/;

/**
 * Whether a name looks like one that Halyard uses itself. The comparison is case-insensitive, uses NFKC, ignores invisible
 * characters, and treats whitespace, hyphens, dots and underscores as one space.
 */
export function isReserved(name: string, selfChosen = false): boolean {
  const shown = name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\s\p{Z}\p{Pd}_.]+/gu, ' ')
    .trim()
    .toLowerCase();
  return RESERVED.test(shown) || (selfChosen && RESERVED_AT_SIGNUP.test(shown));
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
        message: `${field} "${value}" is reserved, because it looks like a name that Halyard uses in events. Choose another one`,
        path: `/body/${field}`,
      };
    }
  }
}
