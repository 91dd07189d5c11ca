import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { disableIntegration } from '../integrations/disable.ts';
import { warnOfFailures } from '../integrations/warn.ts';
import type { Health } from './store.ts';

const MIN_FAILED_ATTEMPTS = 10;
const WARN_AFTER_HOURS = 24;

/**
 * Disables integrations whose receiver responded 410 Gone, and integrations whose attempts all failed for `disableAfterHours`.
 * After 24 hours of failures it records a warning. Each integration is disabled in a separate change.
 */
export async function disableFailing(
  db: Db,
  gone: number[],
  failing: Health[],
  disableAfterHours: number,
): Promise<void> {
  const works = [
    ...[...new Set(gone)].map(
      id => (current: Change) => disableIntegration(current, id, 'The receiver responded with 410 Gone.'),
    ),
    ...failing.flatMap(one => worksFor(one, disableAfterHours)),
  ];
  for (const work of works) await change(db, SYSTEM, work);
}

function worksFor(
  { id, failingSince, failedAttempts, warned }: Health,
  disableAfterHours: number,
): ((current: Change) => Promise<void>)[] {
  const hours = (Date.now() - new Date(failingSince).getTime()) / 3_600_000;
  const warns = !warned && hours >= WARN_AFTER_HOURS;
  const disables =
    disableAfterHours > 0 && hours >= disableAfterHours && failedAttempts >= MIN_FAILED_ATTEMPTS;
  const reason = `All ${failedAttempts} attempts since ${failingSince} failed.`;
  return [
    ...(warns ? [(current: Change) => warnOfFailures(current, id, disableAfterHours)] : []),
    ...(disables ? [(current: Change) => disableIntegration(current, id, reason)] : []),
  ];
}
