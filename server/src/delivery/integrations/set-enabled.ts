import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { lockVisibleIntegration } from './lock.ts';
import type { Integration } from './schema.ts';
import { masked } from './sealed.ts';
import { updateEnabled } from './store.ts';
import { viewFor } from './visibility.ts';

/** Enables or disables an integration and changes nothing else. */
export async function setIntegrationEnabled(
  current: Change,
  keyring: Keyring,
  id: number,
  enabled: boolean,
): Promise<Integration> {
  const { tx, actor, record } = current;
  const before = await lockVisibleIntegration(current, id);
  const shown = async (row: typeof before) => masked(keyring, (await viewFor(tx, actor, [row]))(row) ?? row);
  if (before.enabled === enabled) return await shown(before);
  const after = await updateEnabled(tx, id, enabled);
  record({
    type: 'addon-config-updated',
    data: asEventData(masked(keyring, after)),
    preData: asEventData(masked(keyring, before)),
  });
  return await shown(after);
}
