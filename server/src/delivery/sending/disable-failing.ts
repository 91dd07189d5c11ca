import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { disableIntegration } from '../integrations/disable.ts';
import { recordFailureWarning } from '../integrations/warn.ts';
import type { Health } from './store.ts';

const MIN_FAILED_ATTEMPTS = 10;
const WARN_AFTER_HOURS = 24;

/**
 * Disables integrations whose receiver responded with 410 Gone, and integrations whose attempts all failed for `disableAfterHours`.
 * After 24 hours of failures it records a warning. Each integration is disabled in a separate change.
 */
export async function disableFailing(
  db: Db,
  goneIntegrations: number[],
  failingIntegrations: Health[],
  disableAfterHours: number,
): Promise<void> {
  const tasks = [
    ...[...new Set(goneIntegrations)].map(
      id => (current: Change) => disableIntegration(current, id, 'The receiver responded with 410 Gone.'),
    ),
    ...failingIntegrations.flatMap(integration => listTasks(integration, disableAfterHours)),
  ];
  for (const task of tasks) await change(db, SYSTEM, task);
}

function listTasks(
  { id, failingSince, failedAttempts, warned }: Health,
  disableAfterHours: number,
): ((current: Change) => Promise<void>)[] {
  const hours = (Date.now() - new Date(failingSince).getTime()) / 3_600_000;
  const shouldWarn = !warned && hours >= WARN_AFTER_HOURS;
  const shouldDisable =
    disableAfterHours > 0 && hours >= disableAfterHours && failedAttempts >= MIN_FAILED_ATTEMPTS;
  const reason = `All ${failedAttempts} attempts since ${failingSince} failed.`;
  return [
    ...(shouldWarn ? [(current: Change) => recordFailureWarning(current, id, disableAfterHours)] : []),
    ...(shouldDisable ? [(current: Change) => disableIntegration(current, id, reason)] : []),
  ];
}
