import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { lockIntegration, noteWarning } from './store.ts';

/** Tells, once until it succeeds again, that an integration does nothing but fail. */
export async function warnOfFailures(db: Db, id: number, switchedOffAfterHours: number): Promise<void> {
  await change(db, SYSTEM, async ({ tx, record }) => {
    const integration = await lockIntegration(tx, id);
    if (!integration || !(await noteWarning(tx, id))) return;
    const { provider, description, failingSince, failedAttempts } = integration;
    record({
      type: 'integration-failing',
      data: { id, provider, description, failingSince, failedAttempts, switchedOffAfterHours },
    });
  });
}
