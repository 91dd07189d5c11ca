import type { App } from '@halyard/plane/platform/http/app.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import type { Db } from '../../platform/db/database.ts';
import { listLoginMethods } from './methods.ts';
import { LoginMethod, LoginMethodList } from './schema.ts';

export function loginMethodRoutes(app: App, db: Db): void {
  for (const schema of [LoginMethod, LoginMethodList]) app.addSchema(schema);

  app.get(
    '/auth/methods',
    {
      schema: {
        operationId: 'getLoginMethods',
        tags: ['Sessions'],
        summary: 'List login methods',
        description:
          'Returns the enabled login methods for a login page. At least one method is always enabled. Needs no authentication.',
        security: [],
        response: { 200: jsonResponse('The login methods', LoginMethodList) },
      },
    },
    async () => ({ methods: await listLoginMethods(db) }),
  );
}
