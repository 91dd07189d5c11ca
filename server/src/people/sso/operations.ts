import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { proposeOidc } from '../auth-settings/proposed-oidc.ts';
import { OidcSettingsInput } from '../auth-settings/schema.ts';
import { findOidc } from '../auth-settings/store.ts';
import { AdminLogins, AdminLoginsQuery, OidcCheck, OidcTest } from './schema.ts';
import { findAdminLogins } from './store.ts';
import { trySettings } from './try-settings.ts';

const permission = ['ADMIN', 'UPDATE_AUTH_CONFIGURATION'] as const;

/** Operations that test single sign-on and its settings before they are changed. */
export const SSO: OperationModule = {
  tag: 'Single sign-on',
  schemas: [OidcCheck, OidcTest, AdminLogins],
  operations: [
    query({
      id: 'testOidcSettings',
      route: 'POST /api/admin/auth/oidc/test',
      summary: 'Test OIDC settings',
      description:
        'Fetches the discovery document and the keys from the provider, and checks whether the provider accepts the client, with the settings that an update with this body would produce. Saves nothing. The stored secret is sent only if the discoverUrl is the one it was entered for; otherwise the body needs the secret.',
      permission,
      body: OidcSettingsInput,
      output: jsonResponse('The result of each check', OidcTest),
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.oidc,
      read: async ({ db, keyring, publicUrl }, { body }) =>
        await trySettings(await proposeOidc(db, keyring, body), { publicUrl }),
    }),
    query({
      id: 'getAdminLogins',
      route: 'GET /api/admin/auth/admins',
      summary: 'List how admins can log in',
      description:
        'Returns the active users with ADMIN, and for each whether they have a password and whether they have logged in with single sign-on. Check it before you disable a login method. Lists at most 100 users; the counts include all.',
      permission,
      query: AdminLoginsQuery,
      output: jsonResponse('The admins', AdminLogins),
      read: async ({ db }, { query: { issuer, clientId } }) => {
        const client = clientId ?? (await findOidc(db))?.content.clientId ?? undefined;
        return await findAdminLogins(db, {
          ...(issuer === undefined ? {} : { issuer }),
          ...(client === undefined ? {} : { clientId: client }),
        });
      },
    }),
  ],
};
