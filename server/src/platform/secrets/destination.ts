import type { Violation } from '@halyard/plane/platform/errors.ts';

/**
 * Returns whether the URL differs from the URL that a secret was entered for. A stored secret is sent only to that URL. Otherwise,
 * a caller who can change the URL but does not know the secret could have it sent to their own server.
 */
export function isDifferentDestination(
  oldUrl: string | null | undefined,
  newUrl: string | null | undefined,
): boolean {
  return normalizeUrl(oldUrl) !== normalizeUrl(newUrl);
}

/** Normalizes the host's case, the default port and a missing slash. */
const normalizeUrl = (url: string | null | undefined): string | undefined =>
  url ? (URL.parse(url)?.href ?? url) : undefined;

export const reentryViolation = (secret: string, destination: string, path: string): Violation => ({
  message: `${secret} is required because ${destination} changes. A stored secret is sent only to the URL it was entered for.`,
  path,
});
