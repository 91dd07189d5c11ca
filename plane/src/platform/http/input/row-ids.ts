import { notFound } from '../../errors.ts';
import type { App } from '../app.ts';

/**
 * The schema keyword of a path parameter that says what the id identifies: a kind of resource, such as "User", or a whole subject
 * with path parameters in braces, such as `Shared view {id} of project "{projectId}"`.
 */
export const ROW_ID = 'x-row-id';

const LARGEST_ROW_ID = 2_147_483_647;

/**
 * Any positive integer is a well-formed id. An id that does not fit the `integer` column cannot exist, and PostgreSQL would fail
 * to compare it, so it is rejected with 404 here, after the caller's permission is checked.
 */
export function installRowIds(app: App): void {
  app.addHook('preHandler', async ({ routeOptions, params }) => {
    const { properties = {} } = (routeOptions.schema?.params ?? {}) as {
      properties?: Record<string, { [ROW_ID]?: string }>;
    };
    const values = params as Record<string, string>;
    for (const [name, { [ROW_ID]: identified }] of Object.entries(properties)) {
      if (identified === undefined || !(Number(values[name]) > LARGEST_ROW_ID)) continue;
      const subject = identified.includes('{') ? identified : `${identified} {${name}}`;
      throw notFound(subject.replaceAll(/\{(\w+)\}/g, (_match, parameter) => values[parameter] ?? ''));
    }
  });
}
