import type { Change } from '../../record/change.ts';
import { lockIntegration, setDisabled } from './store.ts';

/** Disables an integration and records the reason. Does nothing if the integration is already disabled. */
export async function disableIntegration({ tx, record }: Change, id: number, reason: string): Promise<void> {
  const integration = await lockIntegration(tx, id);
  if (!integration?.enabled) return;
  await setDisabled(tx, id, reason);
  const { provider, description } = integration;
  record({
    type: 'integration-disabled',
    data: { id, provider, description, enabled: false, reason },
    preData: { id, provider, description, enabled: true },
  });
}
