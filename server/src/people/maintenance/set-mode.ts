import type { Change } from '../../record/change.ts';
import type { MaintenanceMode } from './schema.ts';
import { lockMaintenance, saveMaintenance } from './store.ts';

/** The name of the setting in events, which is the same as in Unleash. */
const SETTING_ID = 'maintenance.mode';

/** Enables or disables maintenance mode. */
export async function setMaintenance({ tx, record }: Change, { enabled }: MaintenanceMode): Promise<void> {
  const wasEnabled = await lockMaintenance(tx);
  if (wasEnabled === enabled) return;
  await saveMaintenance(tx, enabled);
  record({
    type: 'setting-updated',
    data: { id: SETTING_ID, enabled },
    preData: { id: SETTING_ID, enabled: wasEnabled },
  });
}
