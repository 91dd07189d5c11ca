import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
import { lockVisibleIntegration } from './lock.ts';
import type { Integration } from './schema.ts';
import { maskIntegration } from './sealed.ts';
import { updateEnabled } from './store.ts';
import { viewFor } from './visibility.ts';

/** Enables or disables an integration without changing anything else. */
export async function setIntegrationEnabled(
  current: Change,
  keyring: Keyring,
  id: number,
  enabled: boolean,
): Promise<Integration> {
  const { tx, actor, record } = current;
  const rowBefore = await lockVisibleIntegration(current, id);
  const present = async (row: typeof rowBefore) =>
    maskIntegration(keyring, (await viewFor(tx, actor, [row]))(row) ?? row);
  if (rowBefore.enabled === enabled) return await present(rowBefore);
  const rowAfter = await updateEnabled(tx, id, enabled);
  record({
    type: 'addon-config-updated',
    data: toEventData(maskIntegration(keyring, rowAfter)),
    preData: toEventData(maskIntegration(keyring, rowBefore)),
  });
  return await present(rowAfter);
}
