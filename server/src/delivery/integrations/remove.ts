import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
import { lockVisibleIntegration } from './lock.ts';
import { maskIntegration } from './sealed.ts';
import { deleteIntegration } from './store.ts';

/** Deletes an integration. Its open deliveries are not sent, and a job deletes its records later. */
export async function removeIntegration(current: Change, keyring: Keyring, id: number): Promise<void> {
  const integration = await lockVisibleIntegration(current, id);
  await deleteIntegration(current.tx, id);
  current.record({
    type: 'addon-config-deleted',
    preData: toEventData(maskIntegration(keyring, integration)),
  });
}
