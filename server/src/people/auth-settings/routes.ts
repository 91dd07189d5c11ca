import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, refusals } from '../../platform/http/schema.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import { change } from '../../record/change.ts';
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
import { changeOidcSettings, changeSimpleSettings, oidcSettings, simpleSettings } from './settings.ts';

const tags = ['Single sign-on'];
const config = { permission: ['ADMIN', 'UPDATE_AUTH_CONFIGURATION'] } as const;

export function authSettingsRoutes(app: App, db: Db, keyring: Keyring): void {
  const named = [OidcSettings, SimpleSettings, SamlSettings, LoginMethod, LoginMethodList];
  for (const schema of named) app.addSchema(schema);

  app.get(
    '/api/admin/auth/oidc/settings',
    {
      config,
      schema: {
        operationId: 'getOidcSettings',
        tags,
        summary: 'Get the settings of single sign-on',
        description: 'How people log in by OpenID Connect. The secret is never shown.',
        response: { 200: answer('The settings', OidcSettings), ...refusals(401, 403) },
      },
    },
    async () => await oidcSettings(db),
  );

  app.post(
    '/api/admin/auth/oidc/settings',
    {
      config,
      schema: {
        operationId: 'setOidcSettings',
        tags,
        summary: 'Change the settings of single sign-on',
        description:
          'What is left out stays. The secret is encrypted with HALYARD_SECRET_KEY, and must be sent again with another discoverUrl. Who may do this can become whoever they like, by a provider of their own. Events: setting-created, setting-updated.',
        body: OidcSettingsInput,
        response: { 200: answer('The settings', OidcSettings), ...refusals(400, 401, 403, 413, 415) },
      },
    },
    async request =>
      await change(db, request.actor, current => changeOidcSettings(current, keyring, request.body)),
  );

  app.get(
    '/api/admin/auth/simple/settings',
    {
      config,
      schema: {
        operationId: 'getSimpleSettings',
        tags,
        summary: 'Get the settings of logging in with a password',
        description: 'Whether people can log in with a password.',
        response: { 200: answer('The settings', SimpleSettings), ...refusals(401, 403) },
      },
    },
    async () => await simpleSettings(db),
  );

  app.post(
    '/api/admin/auth/simple/settings',
    {
      config,
      schema: {
        operationId: 'setSimpleSettings',
        tags,
        summary: 'Switch logging in with a password off or on',
        description:
          'Refused while single sign-on is off. Admin tokens go on working. Events: setting-created, setting-updated.',
        body: SimpleSettings,
        response: { 200: answer('The settings', SimpleSettings), ...refusals(400, 401, 403, 413, 415) },
      },
    },
    async request => await change(db, request.actor, current => changeSimpleSettings(current, request.body)),
  );

  app.get(
    '/api/admin/auth/saml/settings',
    {
      config,
      schema: {
        operationId: 'getSamlSettings',
        tags,
        summary: 'Get the settings of SAML',
        description: 'SAML is not there, so it is always off. For clients that ask in any case.',
        response: { 200: answer('The settings', SamlSettings), ...refusals(401, 403) },
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
        summary: 'Switch SAML off',
        description:
          'SAML is not there: false is what is so and changes nothing, true is refused. Other fields are not kept.',
        body: SamlSettings,
        response: { 200: answer('The settings', SamlSettings), ...refusals(400, 401, 403, 413, 415) },
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
        summary: 'List the ways to log in',
        description: 'What a login page has to offer: those that are switched on, at least one.',
        security: [],
        response: { 200: answer('The ways to log in', LoginMethodList) },
      },
    },
    async () => ({ methods: await loginMethods(db) }),
  );
}
