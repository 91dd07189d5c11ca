import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { makeCanRead, presentEventTo } from '../../record/events/present.ts';
import { readLastAssigned } from '../../record/events/tail.ts';
import { command, type Operation, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { createIntegration, type IntegrationSettings } from './create.ts';
import { listDefinitions } from './definitions.ts';
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
import { maskIntegration } from './sealed.ts';
import { setIntegrationEnabled } from './set-enabled.ts';
import { findIntegration, listIntegrations, listMatchingEvents } from './store.ts';
import { updateIntegration } from './update.ts';
import {
  findIntegrationViolations,
  findPreviewViolations,
  findUpdateViolations,
  listUnknownParameters,
  previewFilters,
  validateIntegration,
} from './validate.ts';
import { presentVersioned, versionedIntegration } from './version.ts';
import { findFilterViolations, viewFor } from './visibility.ts';

export function integrationOperations(settings: IntegrationSettings): OperationModule {
  const { keyring, targets } = settings;
  const versioned = versionedIntegration(keyring);

  const setEnabled = (enabled: boolean): Operation =>
    command({
      id: enabled ? 'enableAddon' : 'disableAddon',
      route: `POST /api/admin/addons/:id/${enabled ? 'on' : 'off'}`,
      summary: `${enabled ? 'Enable' : 'Disable'} an integration`,
      description: `${
        enabled
          ? 'Enables an integration, so that it receives matching events from now on.'
          : 'Disables an integration, so that it receives no further events. They can be backfilled later.'
      } Nothing else about the integration changes. If it is already ${enabled ? 'enabled' : 'disabled'}, nothing happens.`,
      permission: ['UPDATE_ADDON'],
      params,
      output: jsonResponse('The integration', Integration),
      rejects: [400],
      events: ['addon-config-updated'],
      precondition: ({ params: { id } }) => requireUnchanged(versioned, Number(id)),
      run: (current, { params: { id } }) => setIntegrationEnabled(current, keyring, Number(id), enabled),
    });

  return {
    tag: 'Integrations',
    schemas: [
      Integration,
      NewIntegration,
      ProviderDefinition,
      IntegrationList,
      RotatedSecret,
      IntegrationPreview,
    ],
    operations: [
      query({
        id: 'getAddons',
        route: 'GET /api/admin/addons',
        summary: 'List integrations',
        description:
          'Returns all integrations and the available providers. Secrets are masked. Projects that the caller cannot read are omitted, and so are integrations that are only for such projects. Only callers with CREATE_ADDON or UPDATE_ADDON see the feature and query of a filter. Every authenticated caller may call it.',
        permission: 'NONE',
        output: jsonResponse('Integrations and providers', IntegrationList),
        read: async ({ db, actor }) => {
          const rows = await listIntegrations(db);
          const view = await viewFor(db, actor, rows);
          return {
            addons: rows.flatMap(row => view(row) ?? []).map(row => maskIntegration(keyring, row)),
            providers: listDefinitions(),
          };
        },
      }),
      query({
        id: 'getAddon',
        route: 'GET /api/admin/addons/:id',
        summary: 'Get an integration',
        description:
          'Returns an integration. Secrets are masked. Only callers with CREATE_ADDON or UPDATE_ADDON see the feature and query of a filter. Every authenticated caller may call it.',
        permission: 'NONE',
        params,
        output: jsonResponse('The integration', Integration),
        rejects: [400],
        versioned,
        read: async ({ db, actor }, { params: { id } }) => {
          const integration = await findIntegration(db, Number(id));
          const row = integration && (await viewFor(db, actor, [integration]))(integration);
          if (!row) throw notFound(`Integration ${id}`);
          return presentVersioned(keyring, row);
        },
        present: ({ sealedParameters: _, ...integration }) => integration,
      }),
      command({
        id: 'createAddon',
        route: 'POST /api/admin/addons',
        summary: 'Create an integration',
        description:
          'Creates an integration that receives every later event that matches its filters. Secrets are encrypted and never returned. Only this response contains the signing secret.',
        permission: ['CREATE_ADDON'],
        returnsSecret: true,
        body: IntegrationInput,
        output: jsonResponse('The new integration', NewIntegration),
        status: 201,
        checks: [
          ({ body }) => findIntegrationViolations(body, targets, undefined),
          ({ body, actor }, db) => findFilterViolations(db, actor, body),
        ],
        ignoredPaths: listUnknownParameters,
        events: ['addon-config-created', 'tag-type-created'],
        run: (current, { body }) => createIntegration(current, settings, body),
      }),
      query({
        id: 'validateAddon',
        route: 'POST /api/admin/addons/validate',
        summary: 'Validate an integration',
        description: 'Validates the body of a new integration. Nothing is stored or sent.',
        permission: ['CREATE_ADDON', 'UPDATE_ADDON'],
        body: IntegrationInput,
        status: 204,
        checks: [
          ({ body }) => findIntegrationViolations(body, targets, undefined),
          ({ body, actor }, db) => findFilterViolations(db, actor, body),
        ],
        ignoredPaths: listUnknownParameters,
        read: async ({ db, actor }, { body }) => {
          validateIntegration(body, targets, undefined, await findFilterViolations(db, actor, body));
        },
      }),
      query({
        id: 'previewAddonFilter',
        route: 'POST /api/admin/addons/preview',
        summary: 'Preview the events of an integration',
        description: `Returns the newest events that an integration with these filters would have received, newest first, limited to those that the caller can see. Searches the newest ${PREVIEWED_IDS.toLocaleString('en')} events in the log and returns at most ${PREVIEWED_EVENTS}. isComplete is true if the log has no older events. Nothing is stored or sent. Every authenticated caller may call it.`,
        permission: 'NONE',
        onlyReads: true,
        body: PreviewInput,
        output: jsonResponse('The events', IntegrationPreview),
        checks: [
          ({ body }) => findPreviewViolations(body),
          ({ body, actor }, db) => findFilterViolations(db, actor, body),
        ],
        read: async ({ db, actor, longReads, longReader }, { body }) => {
          const details = [...findPreviewViolations(body), ...(await findFilterViolations(db, actor, body))];
          if (details.length > 0) throw badData(details);
          const { events, after: afterId } = await longReads.run(longReader, async db => {
            const afterId = Math.max(0, (await readLastAssigned(db)) - PREVIEWED_IDS);
            return {
              after: afterId,
              events: await listMatchingEvents(db, actor, previewFilters(body), afterId, PREVIEWED_EVENTS),
            };
          });
          const canRead = await makeCanRead(db, actor, events);
          return {
            events: events.map(event => presentEventTo(actor, event, canRead)),
            isComplete: afterId <= 0,
          };
        },
      }),
      command({
        id: 'updateAddon',
        route: 'PUT /api/admin/addons/:id',
        summary: 'Update an integration',
        description:
          'Replaces parameters and events. Other fields that are absent keep their values. A masked parameter (*****) keeps its stored value; if the URL changes, sensitive parameters must be sent again. The update applies to the next event, on every server.',
        permission: ['UPDATE_ADDON'],
        params,
        body: IntegrationInput,
        output: jsonResponse('The integration', Integration),
        checks: [({ body }) => findUpdateViolations(body)],
        ignoredPaths: listUnknownParameters,
        events: ['addon-config-updated'],
        precondition: ({ params: { id } }) => requireUnchanged(versioned, Number(id)),
        run: (current, { params: { id }, body }) => updateIntegration(current, settings, Number(id), body),
      }),
      setEnabled(true),
      setEnabled(false),
      command({
        id: 'deleteAddon',
        route: 'DELETE /api/admin/addons/:id',
        summary: 'Delete an integration',
        description: 'Deletes an integration and its delivery records. Open deliveries are not sent.',
        permission: ['DELETE_ADDON'],
        params,
        rejects: [400],
        events: ['addon-config-deleted'],
        precondition: ({ params: { id } }) => requireUnchanged(versioned, Number(id)),
        run: (current, { params: { id } }) => removeIntegration(current, keyring, Number(id)),
      }),
      command({
        id: 'rotateAddonSecret',
        route: 'POST /api/admin/addons/:id/rotate-secret',
        summary: 'Rotate the signing secret of an integration',
        description:
          'Creates a new signing secret. Only this response contains it. Requests are signed with both secrets until the overlap ends. A second rotation during the overlap is rejected with 409 unless force is true.',
        permission: ['UPDATE_ADDON'],
        returnsSecret: true,
        params,
        body: SecretRotation,
        output: jsonResponse('The new secret', RotatedSecret),
        rejects: [409],
        events: ['integration-secret-rotated'],
        run: (current, { params: { id }, body }) => rotateSigningSecret(current, keyring, Number(id), body),
      }),
    ],
  };
}
