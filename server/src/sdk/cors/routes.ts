import { version } from '../../platform/command-line.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { changeOrigins } from './change-origins.ts';
import { CorsSettings, UiConfig } from './schema.ts';
import { findOrigins } from './store.ts';
import { VERSIONED_CONFIG } from './version.ts';

const tags = ['Operations'];

export function corsRoutes(app: App, db: Db, publicUrl: string): void {
  app.addSchema(UiConfig);
  const baseUriPath = new URL(publicUrl).pathname.replace(/\/$/, '');

  app.get(
    '/api/admin/ui-config',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getUiConfig',
        tags,
        summary: 'Get the configuration for clients',
        description:
          'Returns the version, the address and the allowed origins of the API for frontend SDKs. Every authenticated caller may call it.',
        response: { 200: jsonResponse('The configuration', UiConfig), ...errorResponses(401, 403) },
      },
    },
    async (request, reply) => {
      const config: UiConfig = {
        name: 'Halyard',
        version: version(),
        unleashUrl: publicUrl,
        baseUriPath,
        frontendApiOrigins: await findOrigins(db),
      };
      return sendVersion(request, reply, VERSIONED_CONFIG, config);
    },
  );

  app.post(
    '/api/admin/ui-config/cors',
    {
      config: { ifMatch: true, permission: ['ADMIN', 'UPDATE_CORS'] },
      schema: {
        operationId: 'setCorsOrigins',
        tags,
        summary: 'Set the allowed origins of frontend SDKs',
        description:
          'Replaces the list of origins whose pages may read responses of the API for frontend SDKs. Every server applies the list within 1 s. Requires ADMIN or UPDATE_CORS. Events: setting-updated.',
        body: CorsSettings,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      await changeVersion(db, request, VERSIONED_CONFIG, 'config', current =>
        changeOrigins(current, request.body),
      );
      return reply.code(204).send();
    },
  );
}
