import { type ApiError, tooManyRequests } from '@halyard/plane/platform/errors.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';

type LoginLimit = { failures: number; minutes: number };

/**
 * Records that failed logins reached a limit. This is a separate change, because the counters are written outside transactions, so
 * that they count even if the request fails.
 */
export async function recordLoginBlocked(
  db: Db,
  ip: string,
  limits: (LoginLimit & { countedBy: string; [field: string]: unknown })[],
): Promise<void> {
  await change(db, { ...SYSTEM, ip }, async ({ record }) => {
    for (const data of limits) record({ type: 'login-blocked', data });
  });
}

export const tooManyFailures = (seconds: number): ApiError =>
  tooManyRequests(
    `Too many failed logins. Retry in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
    seconds,
  );
