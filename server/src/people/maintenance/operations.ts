import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { command, type Operation, type OperationModule, query } from '../../record/operations/definition.ts';
import { MaintenanceMode } from './schema.ts';
import { setMaintenance } from './set-mode.ts';
import { findMaintenance } from './store.ts';

export const MAINTENANCE_PATH = '/api/admin/maintenance';

/**
 * Defines the operation for a method. Unleash uses POST, but PUT fits the operation better, so both methods exist and do the same
 * thing.
 */
const makeSetOperation = (id: string, method: 'PUT' | 'POST', summary: string): Operation =>
  command({
    id,
    route: `${method} ${MAINTENANCE_PATH}`,
    summary,
    description:
      'While maintenance mode is enabled, every server rejects writes to the admin API with 503, except this operation. Reads, logins, SDKs, their metrics, deliveries and imports with the CLI continue. It takes effect on all servers immediately. Writes that a server already accepted are completed.',
    permission: ['ADMIN', 'UPDATE_MAINTENANCE_MODE'],
    body: MaintenanceMode,
    status: 204,
    events: ['setting-updated'],
    run: (current, { body }) => setMaintenance(current, body),
  });

export const MAINTENANCE: OperationModule = {
  tag: 'Operations',
  schemas: [MaintenanceMode],
  operations: [
    query({
      id: 'getMaintenance',
      route: `GET ${MAINTENANCE_PATH}`,
      summary: 'Get maintenance mode',
      description: 'Returns whether maintenance mode is enabled. Every authenticated caller may call it.',
      permission: 'NONE',
      output: jsonResponse('Maintenance mode', MaintenanceMode),
      read: async ({ db }) => ({ enabled: await findMaintenance(db) }),
    }),
    makeSetOperation('setMaintenance', 'PUT', 'Set maintenance mode'),
    makeSetOperation('postMaintenance', 'POST', 'Set maintenance mode, as Unleash does'),
  ],
};
