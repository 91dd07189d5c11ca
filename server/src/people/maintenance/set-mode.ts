import type { Change } from '../../record/change.ts';
import type { MaintenanceMode } from './schema.ts';
import { lockMaintenance, saveMaintenance } from './store.ts';

/** The name of the setting in events, which Unleash uses too. */
const ID = 'maintenance.mode';

/** Enables or disables maintenance mode. */
export async function setMaintenance({ tx, record }: Change, { enabled }: MaintenanceMode): Promise<void> {
  const before = await lockMaintenance(tx);
  if (before === enabled) return;
  await saveMaintenance(tx, enabled);
  record({ type: 'setting-updated', data: { id: ID, enabled }, preData: { id: ID, enabled: before } });
}
