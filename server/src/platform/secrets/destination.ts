import type { Violation } from '../../../../plane/src/platform/errors.ts';

/**
 * A stored secret is sent only to the URL that it was entered for. Otherwise a caller who can change the URL but does not know
 * the secret could send it to their own server.
 */
export function isElsewhere(before: string | null | undefined, after: string | null | undefined): boolean {
  return normalized(before) !== normalized(after);
}

/** The case of the host, the default port and a missing slash make no difference. */
const normalized = (address: string | null | undefined): string | undefined =>
  address ? (URL.parse(address)?.href ?? address) : undefined;

export const requiredAgain = (secret: string, destination: string, path: string): Violation => ({
  message: `${secret} is required because ${destination} changes. A stored secret is sent only to the URL it was entered for.`,
  path,
});
