import type { Change } from '../../record/change.ts';
import { getIntegrationIdentity, lockVisibleIntegration } from '../integrations/lock.ts';

/** Records an event that is delivered only to this integration, even while the integration is disabled. */
export async function sendTest(current: Change, id: number): Promise<void> {
  const integration = await lockVisibleIntegration(current, id);
  current.record({
    type: 'integration-tested',
    data: { ...getIntegrationIdentity(integration), test: true },
  });
}
