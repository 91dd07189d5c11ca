import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { presentEventTo, readableIn } from '../../record/events/present.ts';
import { readLastAssigned } from '../../record/events/tail.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { createIntegration, type IntegrationSettings } from './create.ts';
import { definitions } from './definitions.ts';
import { removeIntegration } from './remove.ts';
import { rotateSigningSecret } from './rotate-secret.ts';
import {
  Integration,
  IntegrationInput,
  IntegrationList,
  IntegrationPreview,
  NewIntegration,
  PREVIEWED_EVENTS,
  PREVIEWED_IDS,
  PreviewInput,
  ProviderDefinition,
  params,
  RotatedSecret,
  SecretRotation,
} from './schema.ts';
import { masked } from './sealed.ts';
import { setIntegrationEnabled } from './set-enabled.ts';
import { findIntegration, listIntegrations, listMatching } from './store.ts';
import { updateIntegration } from './update.ts';
import {
  integrationViolations,
  previewedFilters,
  previewViolations,
  unknownParameters,
  updateViolations,
  validateIntegration,
} from './validate.ts';
import { shownOf, versionedIntegration } from './version.ts';
import { filterViolations, viewFor } from './visibility.ts';

const tags = ['Integrations'];

export function integrationRoutes(
  app: App,
  db: Db,
  settings: IntegrationSettings,
  longReads: LongReads,
): void {
  const { keyring } = settings;
  const versioned = versionedIntegration(keyring);
  const schemas = [
    Integration,
    NewIntegration,
    ProviderDefinition,
    IntegrationList,
    RotatedSecret,
    IntegrationPreview,
  ];
  for (const schema of schemas) app.addSchema(schema);

  app.get(
    '/api/admin/addons',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getAddons',
        tags,
        summary: 'List integrations',
        description:
          'Returns all integrations and the available providers. Secrets are masked. Projects that the caller cannot read are omitted, and so are integrations that are only for such projects. feature and query of a filter are shown to callers with CREATE_ADDON or UPDATE_ADDON only. Every authenticated caller may call it.',
        response: {
          200: jsonResponse('Integrations and providers', IntegrationList),
          ...errorResponses(401, 403),
        },
      },
    },
    async request => {
      const rows = await listIntegrations(db);
      const view = await viewFor(db, request.actor, rows);
      return {
        addons: rows.flatMap(row => view(row) ?? []).map(row => masked(keyring, row)),
        providers: definitions(),
      };
    },
  );

  app.get(
    '/api/admin/addons/:id',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getAddon',
        tags,
        summary: 'Get an integration',
        description:
          'Returns an integration. Secrets are masked. feature and query of a filter are shown to callers with CREATE_ADDON or UPDATE_ADDON only. Every authenticated caller may call it.',
        params,
        response: {
          200: jsonResponse('The integration', Integration),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async (request, reply) => {
      const found = await findIntegration(db, Number(request.params.id));
      const row = found && (await viewFor(db, request.actor, [found]))(found);
      if (!row) throw notFound(`Integration ${request.params.id}`);
      return sendVersion(request, reply, versioned, shownOf(keyring, row), masked(keyring, row));
    },
  );

  app.post(
    '/api/admin/addons',
    {
      config: {
        permission: ['CREATE_ADDON'],
        returnsSecret: true,
        checks: [
          ({ body }) => integrationViolations(body, settings.targets, undefined),
          ({ body, actor }) => filterViolations(db, actor, body),
        ],
        ignoredToo: unknownParameters,
      },
      schema: {
        operationId: 'createAddon',
        tags,
        summary: 'Create an integration',
        description:
          'Creates an integration, which receives every later event that matches its filters. Secrets are encrypted and never returned. Only this response contains the signing secret. Requires CREATE_ADDON. Events: addon-config-created, tag-type-created.',
        body: IntegrationInput,
        response: {
          201: jsonResponse('The new integration', NewIntegration),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const created = await change(db, request.actor, current =>
        createIntegration(current, settings, request.body),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    '/api/admin/addons/validate',
    {
      config: {
        permission: ['CREATE_ADDON', 'UPDATE_ADDON'],
        checks: [
          ({ body }) => integrationViolations(body, settings.targets, undefined),
          ({ body, actor }) => filterViolations(db, actor, body),
        ],
        ignoredToo: unknownParameters,
      },
      schema: {
        operationId: 'validateAddon',
        tags,
        summary: 'Validate an integration',
        description:
          'Validates the body of a new integration. Nothing is stored or sent. Requires CREATE_ADDON or UPDATE_ADDON.',
        body: IntegrationInput,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      const ofFilters = await filterViolations(db, request.actor, request.body);
      validateIntegration(request.body, settings.targets, undefined, ofFilters);
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/admin/addons/preview',
    {
      config: {
        permission: 'NONE',
        onlyReads: true,
        checks: [
          ({ body }) => previewViolations(body),
          ({ body, actor }) => filterViolations(db, actor, body),
        ],
      },
      schema: {
        operationId: 'previewAddonFilter',
        tags,
        summary: 'Preview the events of an integration',
        description: `Returns the newest events that an integration with these filters would have got, newest first, as far as the caller can see them. It looks at the newest ${PREVIEWED_IDS.toLocaleString('en')} events of the log and returns at most ${PREVIEWED_EVENTS}. isComplete says whether the log has no older events. Nothing is stored or sent. Every authenticated caller may call it.`,
        body: PreviewInput,
        response: {
          200: jsonResponse('The events', IntegrationPreview),
          ...errorResponses(400, 401, 403, 413, 415),
        },
      },
    },
    async request => {
      const { actor, body } = request;
      const details = [...previewViolations(body), ...(await filterViolations(db, actor, body))];
      if (details.length > 0) throw badData(details);
      const { events, after } = await longReads.run(request, async db => {
        const after = (await readLastAssigned(db)) - PREVIEWED_IDS;
        return {
          after,
          events: await listMatching(db, actor, previewedFilters(body), after, PREVIEWED_EVENTS),
        };
      });
      const canRead = await readableIn(db, actor, events);
      return {
        events: events.map(event => presentEventTo(actor, event, canRead)),
        isComplete: after <= 0,
      };
    },
  );

  app.put(
    '/api/admin/addons/:id',
    {
      config: {
        permission: ['UPDATE_ADDON'],
        ifMatch: true,
        checks: [({ body }) => updateViolations(body)],
        ignoredToo: unknownParameters,
      },
      schema: {
        operationId: 'updateAddon',
        tags,
        summary: 'Update an integration',
        description:
          'Replaces parameters and events. Other fields that are absent keep their values. A masked parameter (*****) keeps its stored value; if the address changes, sensitive parameters are required. The update applies from the next event on, on every server. Requires UPDATE_ADDON. Events: addon-config-updated.',
        params,
        body: IntegrationInput,
        response: {
          200: jsonResponse('The integration', Integration),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      return await changeVersion(db, request, versioned, id, current =>
        updateIntegration(current, settings, id, request.body),
      );
    },
  );

  for (const state of ['on', 'off'] as const) {
    const verb = state === 'on' ? 'enable' : 'disable';
    app.post(
      `/api/admin/addons/:id/${state}`,
      {
        config: { permission: ['UPDATE_ADDON'], ifMatch: true },
        schema: {
          operationId: `${verb}Addon`,
          tags,
          summary: `${state === 'on' ? 'Enable' : 'Disable'} an integration`,
          description: `${
            state === 'on'
              ? 'Enables an integration: matching events are delivered from the next one on.'
              : 'Disables an integration: later events are not delivered. They can be backfilled.'
          } Everything else of the integration stays as it is. An integration that is ${verb}d already stays unchanged. Requires UPDATE_ADDON. Events: addon-config-updated.`,
          params,
          response: {
            200: jsonResponse('The integration', Integration),
            ...errorResponses(400, 401, 403, 404),
          },
        },
      },
      async request => {
        const id = Number(request.params.id);
        return await changeVersion(db, request, versioned, id, current =>
          setIntegrationEnabled(current, keyring, id, state === 'on'),
        );
      },
    );
  }

  app.delete(
    '/api/admin/addons/:id',
    {
      config: { permission: ['DELETE_ADDON'], ifMatch: true },
      schema: {
        operationId: 'deleteAddon',
        tags,
        summary: 'Delete an integration',
        description:
          'Deletes an integration and its delivery records. Open deliveries are not sent. Requires DELETE_ADDON. Events: addon-config-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const id = Number(request.params.id);
      await changeVersion(db, request, versioned, id, current => removeIntegration(current, keyring, id));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/addons/:id/rotate-secret',
    {
      config: { permission: ['UPDATE_ADDON'], returnsSecret: true },
      schema: {
        operationId: 'rotateAddonSecret',
        tags,
        summary: 'Rotate the signing secret of an integration',
        description:
          'Creates a new signing secret. Only this response contains it. Requests are signed with both secrets until the overlap ends. A second rotation during the overlap is rejected with 409 unless force is true. Requires UPDATE_ADDON. Events: integration-secret-rotated.',
        params,
        body: SecretRotation,
        response: {
          200: jsonResponse('The new secret', RotatedSecret),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async request =>
      await change(db, request.actor, current =>
        rotateSigningSecret(current, keyring, Number(request.params.id), request.body),
      ),
  );
}
