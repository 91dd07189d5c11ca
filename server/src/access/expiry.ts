import { badData, type Violation } from '@halyard/plane/platform/errors.ts';

/** Returns a violation for an expiry in the past, which must be a mistake, because the token could never be used. */
export function findPastExpiryViolations(expiresAt: string | undefined): Violation[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return [];
  return [{ message: `expiresAt must be in the future, not "${expiresAt}"`, path: '/body/expiresAt' }];
}

export function requireFutureExpiry(expiresAt: string | undefined): void {
  const details = findPastExpiryViolations(expiresAt);
  if (details.length > 0) throw badData(details);
}
