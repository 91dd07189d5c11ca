import { type Static, Type } from 'typebox';
import { Named } from '../../../../plane/src/platform/http/schema.ts';

export const MaintenanceMode = Named(
  'MaintenanceMode',
  Type.Object(
    {
      enabled: Type.Boolean({
        description: 'Whether the admin API rejects writes with 503',
        examples: [false],
      }),
    },
    { examples: [{ enabled: false }] },
  ),
);
export type MaintenanceMode = Static<typeof MaintenanceMode>;
