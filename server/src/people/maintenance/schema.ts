import { SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MaintenanceMode = SharedObject(
  'MaintenanceMode',
  {
    enabled: Type.Boolean({
      description: 'Whether the admin API rejects writes with 503',
      examples: [false],
    }),
  },
  { examples: [{ enabled: false }] },
);
export type MaintenanceMode = Static<typeof MaintenanceMode>;
