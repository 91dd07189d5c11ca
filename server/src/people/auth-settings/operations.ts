import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { SAML_SETTINGS, setSamlSettings } from './saml.ts';
import { OidcSettings, OidcSettingsInput, SamlSettings, SimpleSettings } from './schema.ts';
import { changeOidcSettings, changeSimpleSettings, readOidcVersion, readSimpleSettings } from './settings.ts';
import { VERSIONED_OIDC, VERSIONED_SIMPLE } from './version.ts';

const permission = ['ADMIN', 'UPDATE_AUTH_CONFIGURATION'] as const;

export const AUTH_SETTINGS: OperationModule = {
  tag: 'Single sign-on',
  schemas: [OidcSettings, SimpleSettings, SamlSettings],
  operations: [
    query({
      id: 'getOidcSettings',
      route: 'GET /api/admin/auth/oidc/settings',
      summary: 'Get the OIDC settings',
      description: 'Returns the settings for single sign-on with OpenID Connect, without the secret.',
      permission,
      output: jsonResponse('The settings', OidcSettings),
      versioned: VERSIONED_OIDC,
      read: ({ db }) => readOidcVersion(db),
      present: ({ sealedSecret: _, ...settings }) => settings,
    }),
    command({
      id: 'setOidcSettings',
      route: 'POST /api/admin/auth/oidc/settings',
      summary: 'Update the OIDC settings',
      description:
        'Updates the given fields. The secret is encrypted with HALYARD_SECRET_KEY. A new discoverUrl requires the secret in the same request. Note that a caller with this permission can log in as any user, through a provider that they control.',
      permission,
      body: OidcSettingsInput,
      output: jsonResponse('The settings', OidcSettings),
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.oidc,
      events: ['setting-created', 'setting-updated'],
      precondition: () => requireUnchanged(VERSIONED_OIDC, 'oidc'),
      run: (current, { body }, { keyring }) => changeOidcSettings(current, keyring, body),
    }),
    query({
      id: 'getSimpleSettings',
      route: 'GET /api/admin/auth/simple/settings',
      summary: 'Get the password login settings',
      description: 'Returns whether password login is disabled.',
      permission,
      output: jsonResponse('The settings', SimpleSettings),
      versioned: VERSIONED_SIMPLE,
      read: ({ db }) => readSimpleSettings(db),
    }),
    command({
      id: 'setSimpleSettings',
      route: 'POST /api/admin/auth/simple/settings',
      summary: 'Enable or disable password login',
      description:
        'Enables or disables password login. It can be disabled only while single sign-on is enabled. Admin tokens keep working.',
      permission,
      body: SimpleSettings,
      output: jsonResponse('The settings', SimpleSettings),
      rejectUnknownFieldsExcept: [],
      events: ['setting-created', 'setting-updated'],
      precondition: () => requireUnchanged(VERSIONED_SIMPLE, 'simple'),
      run: (current, { body }) => changeSimpleSettings(current, body),
    }),
    query({
      id: 'getSamlSettings',
      route: 'GET /api/admin/auth/saml/settings',
      summary: 'Get the SAML settings',
      description: 'Always returns that SAML is disabled, because Halyard does not support it.',
      permission,
      output: jsonResponse('The settings', SamlSettings),
      read: async () => SAML_SETTINGS,
    }),
    query({
      id: 'setSamlSettings',
      route: 'POST /api/admin/auth/saml/settings',
      summary: 'Disable SAML',
      description:
        'Accepts `enabled: false` and changes nothing. Rejects `enabled: true`, because Halyard does not support SAML. Ignores other fields.',
      permission,
      body: SamlSettings,
      output: jsonResponse('The settings', SamlSettings),
      read: async (_, { body }) => setSamlSettings(body),
    }),
  ],
};
