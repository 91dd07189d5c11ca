import { notFound } from '../../errors.ts';
import type { App } from '../app.ts';

/** On the schema of a path parameter: what the id identifies, such as "User". */
export const ROW_ID = 'x-row-id';

const LARGEST_ROW_ID = 2_147_483_647;

/**
 * Any positive integer is a well-formed id. One that the `integer` column cannot hold belongs to nothing, and PostgreSQL
 * would fail to compare it, so it is not found here, after the caller's permission is checked.
 */
export function installRowIds(app: App): void {
  app.addHook('preHandler', async ({ routeOptions, params }) => {
    const { properties = {} } = (routeOptions.schema?.params ?? {}) as {
      properties?: Record<string, { [ROW_ID]?: string }>;
    };
    for (const [name, { [ROW_ID]: what }] of Object.entries(properties)) {
      const id = (params as Record<string, string>)[name] ?? '';
      if (what !== undefined && Number(id) > LARGEST_ROW_ID) throw notFound(`${what} ${id}`);
    }
  });
}
