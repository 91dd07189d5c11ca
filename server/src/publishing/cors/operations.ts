import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { version } from '../../platform/command-line.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { changeOrigins } from './change-origins.ts';
import { CorsSettings, UiConfig } from './schema.ts';
import { findOrigins } from './store.ts';
import { VERSIONED_CONFIG } from './version.ts';

export const CORS: OperationModule = {
  tag: 'Operations',
  schemas: [UiConfig],
  operations: [
    query({
      id: 'getUiConfig',
      route: 'GET /api/admin/ui-config',
      summary: 'Get the configuration for clients',
      description:
        'Returns the version, the URL and the allowed origins of the API for frontend SDKs. Every authenticated caller may call it.',
      permission: 'NONE',
      output: jsonResponse('The configuration', UiConfig),
      versioned: VERSIONED_CONFIG,
      read: async ({ db, publicUrl }) => ({
        name: 'Halyard',
        version: version(),
        unleashUrl: publicUrl,
        baseUriPath: new URL(publicUrl).pathname.replace(/\/$/, ''),
        frontendApiOrigins: await findOrigins(db),
      }),
    }),
    command({
      id: 'setCorsOrigins',
      route: 'POST /api/admin/ui-config/cors',
      summary: 'Set the allowed origins of frontend SDKs',
      description:
        'Replaces the list of origins whose pages may read responses of the API for frontend SDKs. Every server applies the list within 1 s.',
      permission: ['ADMIN', 'UPDATE_CORS'],
      body: CorsSettings,
      status: 204,
      events: ['setting-updated'],
      precondition: () => requireUnchanged(VERSIONED_CONFIG, 'config'),
      run: (current, { body }) => changeOrigins(current, body),
    }),
  ],
};
