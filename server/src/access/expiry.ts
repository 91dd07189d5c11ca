import { badData, type Violation } from '@halyard/plane/platform/errors.ts';

/**
 * Rejects an expiry in the past. A token that has already expired when it is created can never be used, so the time must be a
 * mistake.
 */
export function findExpiryViolations(expiresAt: string | undefined): Violation[] {
  if (expiresAt === undefined || Date.parse(expiresAt) > Date.now()) return [];
  return [{ message: `expiresAt must be in the future, not "${expiresAt}"`, path: '/body/expiresAt' }];
}

export function requireFutureExpiry(expiresAt: string | undefined): void {
  const details = findExpiryViolations(expiresAt);
  if (details.length > 0) throw badData(details);
}
