import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing, PathBigId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { presentEvent } from '../../record/events/present.ts';
import { params } from '../integrations/schema.ts';
import { backfill } from './backfill.ts';
import { redeliver, redeliverFailed } from './redeliver.ts';
import {
  Backfill,
  DeliveryAttempt,
  IntegrationEvent,
  IntegrationEvents,
  IntegrationEventWithAttempts,
  PreviewedEvents,
  PreviewRequest,
  Queued,
  RecordQuery,
  Since,
} from './schema.ts';
import { parseBodyTime, parseRecordSearch } from './search-query.ts';
import { sendTest } from './send-test.ts';
import { skipBlocking } from './skip.ts';
import {
  findRecord,
  integrationExists,
  listAttempts,
  listRecords,
  previewEvents,
  type RecordRow,
} from './store.ts';

const tags = ['Integrations'];
const recordParams = Type.Object({
  ...params.properties,
  eventId: PathBigId('Record', '87'),
});
const PREVIEW_DAYS = 7;
const MAX_PREVIEWED = 50;

export function deliveryRoutes(app: App, db: Db): void {
  const schemas = [
    IntegrationEvent,
    IntegrationEvents,
    DeliveryAttempt,
    IntegrationEventWithAttempts,
    Queued,
    PreviewedEvents,
  ];
  for (const schema of schemas) app.addSchema(schema);

  app.get(
    '/api/admin/addons/:id/events',
    {
      config: { permission: ['ADMIN'], checks: [({ query }) => parseRecordSearch(query)] },
      schema: {
        operationId: 'getIntegrationEvents',
        tags,
        summary: 'List the deliveries of an integration',
        description:
          'Returns one record for each delivery, newest first. Requires ADMIN, because records contain events of every project.',
        params,
        querystring: RecordQuery,
        response: {
          200: jsonResponse('The records', IntegrationEvents),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const search = parseRecordSearch(request.query);
      const records = await listRecords(db, Number(request.params.id), search);
      if (!records) throw notFound(`Integration ${request.params.id}`);
      return { integrationEvents: records.map(present) };
    },
  );

  app.get(
    '/api/admin/addons/:id/events/:eventId',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getIntegrationEvent',
        tags,
        summary: 'Get a delivery with its attempts',
        description: 'Returns a record and its attempts, oldest first. Requires ADMIN.',
        params: recordParams,
        response: {
          200: jsonResponse('The record', IntegrationEventWithAttempts),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const { id, eventId } = request.params;
      const record = await findRecord(db, Number(id), Number(eventId));
      if (!record) throw notFound(`Record ${eventId} of integration ${id}`);
      return { ...present(record), attemptList: await listAttempts(db, Number(eventId)) };
    },
  );

  app.post(
    '/api/admin/addons/:id/events/:eventId/redeliver',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'redeliverIntegrationEvent',
        tags,
        summary: 'Redeliver an event',
        description:
          'Restarts the schedule of an ended delivery, with the same webhook-id. Requires ADMIN. Events: integration-redelivered.',
        params: recordParams,
        response: {
          202: jsonResponse('The delivery is queued', Queued),
          ...errorResponses(400, 401, 403, 404, 409),
        },
      },
    },
    async (request, reply) => {
      const { id, eventId } = request.params;
      const queued = await change(db, request.actor, current =>
        redeliver(current, Number(id), Number(eventId)),
      );
      return reply.code(202).send(queued);
    },
  );

  app.post(
    '/api/admin/addons/:id/events/:eventId/skip',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'skipIntegrationEvent',
        tags,
        summary: 'Skip a blocking delivery',
        description:
          'For ordered integrations with whenExhausted: block. Skips an exhausted delivery and continues with the next event. Requires ADMIN. Events: integration-delivery-skipped.',
        params: recordParams,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409) },
      },
    },
    async (request, reply) => {
      const { id, eventId } = request.params;
      await change(db, request.actor, current => skipBlocking(current, Number(id), Number(eventId)));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/addons/:id/redeliver',
    {
      config: { permission: ['ADMIN'], cost: COST.bulk },
      schema: {
        operationId: 'redeliverFailedIntegrationEvents',
        tags,
        summary: 'Redeliver failed events',
        description:
          'Restarts the schedule of every delivery that failed since a time, at most 10,000 per request. Requires ADMIN. Events: integration-redelivered.',
        params,
        body: Since,
        response: {
          202: jsonResponse('The number of queued deliveries', Queued),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const since = parseBodyTime(request.body.since, '/body/since');
      const id = Number(request.params.id);
      const queued = await change(db, request.actor, current => redeliverFailed(current, id, since));
      return reply.code(202).send(queued);
    },
  );

  app.post(
    '/api/admin/addons/:id/test',
    {
      config: { permission: ['UPDATE_ADDON'] },
      schema: {
        operationId: 'testAddon',
        tags,
        summary: 'Send a test event to an integration',
        description:
          'Records an event that is delivered only to this integration, regardless of its filters and even while it is disabled. The delivery record shows the result. Requires UPDATE_ADDON. Events: integration-tested.',
        params,
        response: { 202: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => sendTest(current, Number(request.params.id)));
      return reply.code(202).send();
    },
  );

  app.post(
    '/api/admin/addons/:id/preview',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'previewAddon',
        tags,
        summary: 'Preview the events of an integration',
        description:
          'Returns the events of the last days that match the filters of the integration. Nothing is sent. Requires ADMIN.',
        params,
        body: PreviewRequest,
        response: {
          200: jsonResponse('The events', PreviewedEvents),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await integrationExists(db, id))) throw notFound(`Integration ${id}`);
      const days = request.body.days ?? PREVIEW_DAYS;
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const { total, events } = await previewEvents(db, id, since, MAX_PREVIEWED);
      return { total, events: events.map(withIp) };
    },
  );

  app.post(
    '/api/admin/addons/:id/backfill',
    {
      config: {
        cost: COST.bulk,
        permission: ['ADMIN'],
        checks: [
          ({ body }) => {
            if (body.from !== undefined) parseBodyTime(body.from, '/body/from');
          },
          ({ body }) => {
            if (body.to !== undefined) parseBodyTime(body.to, '/body/to');
          },
        ],
      },
      schema: {
        operationId: 'backfillAddon',
        tags,
        summary: 'Backfill an integration',
        description:
          'Delivers earlier events that match the filters and were not delivered, oldest first, at most 10,000 per request. Use it for a new integration, or for events that were missed while it was disabled. Requires ADMIN. Events: integration-backfilled.',
        params,
        body: Backfill,
        response: {
          202: jsonResponse('The number of queued deliveries', Queued),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const since = parseBodyTime(request.body.from, '/body/from');
      const until = parseBodyTime(request.body.to ?? new Date().toISOString(), '/body/to');
      const id = Number(request.params.id);
      const queued = await change(db, request.actor, current => backfill(current, id, since, until));
      return reply.code(202).send(queued);
    },
  );
}

/** Before the first attempt, the details contain the summary of the event. */
function present({ event, provider, ...record }: RecordRow): IntegrationEvent {
  const shown = withIp(event);
  const isEmpty = Object.keys(record.details).length === 0;
  return {
    ...record,
    details: isEmpty ? { provider, message: shown.summary } : record.details,
    event: shown,
  };
}

/** Only root admins call these routes, so the IP address is included. */
const withIp = (event: RecordRow['event']) => ({ ...presentEvent(event), ip: event.ip });
