import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { loginMethods } from './methods.ts';
import { SAML_SETTINGS, setSamlSettings } from './saml.ts';
import {
  LoginMethod,
  LoginMethodList,
  OidcSettings,
  OidcSettingsInput,
  SamlSettings,
  SimpleSettings,
} from './schema.ts';
import { changeOidcSettings, changeSimpleSettings, oidcVersion, simpleSettings } from './settings.ts';
import { VERSIONED_OIDC, VERSIONED_SIMPLE } from './version.ts';

const tags = ['Single sign-on'];
const config = { permission: ['ADMIN', 'UPDATE_AUTH_CONFIGURATION'] } as const;

export function authSettingsRoutes(app: App, db: Db, keyring: Keyring): void {
  const named = [OidcSettings, SimpleSettings, SamlSettings, LoginMethod, LoginMethodList];
  for (const schema of named) app.addSchema(schema);

  app.get(
    '/api/admin/auth/oidc/settings',
    {
      config: { ...config, etag: true },
      schema: {
        operationId: 'getOidcSettings',
        tags,
        summary: 'Get the OIDC settings',
        description:
          'Returns the settings of single sign-on with OpenID Connect, without the secret. Requires ADMIN or UPDATE_AUTH_CONFIGURATION.',
        response: { 200: jsonResponse('The settings', OidcSettings), ...errorResponses(401, 403) },
      },
    },
    async (request, reply) => {
      const version = await oidcVersion(db);
      const { sealedSecret: _, ...settings } = version;
      return sendVersion(request, reply, VERSIONED_OIDC, version, settings);
    },
  );

  app.post(
    '/api/admin/auth/oidc/settings',
    {
      config: { ...config, ifMatch: true, rejectUnknownFields: ACCEPTED_FIELDS.oidc },
      schema: {
        operationId: 'setOidcSettings',
        tags,
        summary: 'Update the OIDC settings',
        description:
          'Updates the given fields. The secret is encrypted with HALYARD_SECRET_KEY. A new discoverUrl requires the secret in the same request. A caller with this permission can log in as any user, with a provider that they control. Requires ADMIN or UPDATE_AUTH_CONFIGURATION. Events: setting-created, setting-updated.',
        body: OidcSettingsInput,
        response: {
          200: jsonResponse('The settings', OidcSettings),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async request =>
      await changeVersion(db, request, VERSIONED_OIDC, 'oidc', current =>
        changeOidcSettings(current, keyring, request.body),
      ),
  );

  app.get(
    '/api/admin/auth/simple/settings',
    {
      config: { ...config, etag: true },
      schema: {
        operationId: 'getSimpleSettings',
        tags,
        summary: 'Get the password login settings',
        description:
          'Returns whether password login is disabled. Requires ADMIN or UPDATE_AUTH_CONFIGURATION.',
        response: { 200: jsonResponse('The settings', SimpleSettings), ...errorResponses(401, 403) },
      },
    },
    async (request, reply) => sendVersion(request, reply, VERSIONED_SIMPLE, await simpleSettings(db)),
  );

  app.post(
    '/api/admin/auth/simple/settings',
    {
      config: { ...config, ifMatch: true, rejectUnknownFields: [] },
      schema: {
        operationId: 'setSimpleSettings',
        tags,
        summary: 'Enable or disable password login',
        description:
          'Enables or disables password login. Rejected while single sign-on is disabled. Admin tokens keep working. Requires ADMIN or UPDATE_AUTH_CONFIGURATION. Events: setting-created, setting-updated.',
        body: SimpleSettings,
        response: {
          200: jsonResponse('The settings', SimpleSettings),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async request =>
      await changeVersion(db, request, VERSIONED_SIMPLE, 'simple', current =>
        changeSimpleSettings(current, request.body),
      ),
  );

  app.get(
    '/api/admin/auth/saml/settings',
    {
      config,
      schema: {
        operationId: 'getSamlSettings',
        tags,
        summary: 'Get the SAML settings',
        description:
          'Always returns that SAML is disabled, because Halyard does not support it. Requires ADMIN or UPDATE_AUTH_CONFIGURATION.',
        response: { 200: jsonResponse('The settings', SamlSettings), ...errorResponses(401, 403) },
      },
    },
    async () => SAML_SETTINGS,
  );

  app.post(
    '/api/admin/auth/saml/settings',
    {
      config,
      schema: {
        operationId: 'setSamlSettings',
        tags,
        summary: 'Disable SAML',
        description:
          'Accepts `enabled: false` and changes nothing. Rejects `enabled: true`, because Halyard does not support SAML. Ignores other fields. Requires ADMIN or UPDATE_AUTH_CONFIGURATION.',
        body: SamlSettings,
        response: {
          200: jsonResponse('The settings', SamlSettings),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async request => setSamlSettings(request.body),
  );

  app.get(
    '/auth/methods',
    {
      schema: {
        operationId: 'getLoginMethods',
        tags: ['Sessions'],
        summary: 'List login methods',
        description:
          'Returns the enabled login methods for a login page, at least one. Needs no authentication.',
        security: [],
        response: { 200: jsonResponse('The login methods', LoginMethodList) },
      },
    },
    async () => ({ methods: await loginMethods(db) }),
  );
}
