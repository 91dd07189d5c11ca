import type { Change } from '../../record/change.ts';
import { lockIntegration, markWarned } from './store.ts';

/** Records a warning that all deliveries of an integration fail. Does not repeat the warning until a delivery has succeeded. */
export async function recordFailureWarning(
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
