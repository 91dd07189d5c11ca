import type { Change } from '../../record/change.ts';
import { lockIntegration, markWarned } from './store.ts';

/** Records that every delivery of an integration fails, once until a delivery succeeds. */
export async function warnOfFailures(
  { tx, record }: Change,
  id: number,
  disabledAfterHours: number,
): Promise<void> {
  const integration = await lockIntegration(tx, id);
  if (!integration || !(await markWarned(tx, id))) return;
  const { provider, description, failingSince, failedAttempts } = integration;
  record({
    type: 'integration-failing',
    data: { id, provider, description, failingSince, failedAttempts, disabledAfterHours },
  });
}
