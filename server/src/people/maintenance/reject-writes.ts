import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import type { Db } from '../../platform/db/database.ts';
import { MAINTENANCE_PATH } from './operations.ts';
import { findMaintenance } from './store.ts';

/**
 * Rejects writes to the admin API in maintenance mode. Each write reads the setting from the database, because a copy in memory
 * would let other servers accept writes for a moment after the mode is enabled.
 */
export function installMaintenance(app: App, db: Db): void {
  app.addHook('onRequest', async ({ method, routeOptions: { url = '', config } }) => {
    if (!url.startsWith('/api/admin/') || url === MAINTENANCE_PATH) return;
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || config.onlyReads) return;
    await rejectInMaintenance(db);
  });
}

export async function rejectInMaintenance(db: Db): Promise<void> {
  if (!(await findMaintenance(db))) return;
  throw new ApiError(
    'MaintenanceError',
    'Halyard is in maintenance mode, so nothing can be changed. Reads and SDKs still work. An admin can disable maintenance mode.',
  );
}
