import type { Violation } from '../errors.ts';

/**
 * The rule for every stored secret: it is sent only to the address that it was entered for. Otherwise a caller who may
 * change the address but does not know the secret could have it sent to a server of their own.
 */
export function isElsewhere(before: string | null | undefined, after: string | null | undefined): boolean {
  return written(before) !== written(after);
}

/** Case of the host, the default port and a missing slash make no difference. */
const written = (address: string | null | undefined): string | undefined =>
  address ? (URL.parse(address)?.href ?? address) : undefined;

export const mustBeSentAgain = (secret: string, destination: string, path: string): Violation => ({
  message: `${secret} must be sent again because ${destination} changes: a stored secret is sent only to the address it was entered for`,
  path,
});
