import type { Violation } from '../../platform/errors.ts';

/** What events and lists call the service itself, an admin token, single sign-on, and an account without a name. */
const RESERVED = /^(system|admin token|single sign on|user \d+)$/;

/** Events of the first admin tokens are by `admin`. An admin may call a user so; people who choose for themselves may not. */
const RESERVED_AT_SIGNUP = /^(admin|administrator|root)$/;

/**
 * Whether a name could be taken for one that Halyard uses itself. Compared as a reader sees it: NFKC, no invisible characters,
 * one space for whitespace, hyphens, dots and underscores, no difference of case.
 */
export function isReserved(name: string, selfChosen = false): boolean {
  const seen = name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\s\p{Z}\p{Pd}_.]+/gu, ' ')
    .trim()
    .toLowerCase();
  return RESERVED.test(seen) || (selfChosen && RESERVED_AT_SIGNUP.test(seen));
}

type Names = { name?: string | null; username?: string | null };

/** A violation for each name that is reserved. */
export function* reservedNames(names: Names, selfChosen = false): Generator<Violation> {
  for (const field of ['name', 'username'] as const) {
    const value = names[field];
    if (value && isReserved(value, selfChosen)) {
      yield {
        message: `${field} "${value}" is reserved: events would not show who acted`,
        path: `/body/${field}`,
      };
    }
  }
}
