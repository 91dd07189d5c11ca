import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing, PathBigId } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { params } from '../integrations/schema.ts';
import { RenderedRequest, RequestHeader } from '../sending/schema.ts';
import { backfill, planOfBackfill } from './backfill.ts';
import { listVisibleDeliveries } from './of-event.ts';
import { present, presentFound, withIp } from './present.ts';
import { planFailed, planRedelivery, redeliver, redeliverFailed } from './redeliver.ts';
import { type RenderSettings, renderDelivery } from './render.ts';
import {
  Backfill,
  DeliveryAttempt,
  DeliveryCounts,
  DeliveryPeriod,
  EventDeliveries,
  EventDelivery,
  IntegrationEvent,
  IntegrationEvents,
  IntegrationEventWithAttempts,
  IntegrationStats,
  PreviewedEvents,
  PreviewRequest,
  Queued,
  RecordQuery,
  RenderedDelivery,
  ReplayPlan,
  Since,
} from './schema.ts';
import { searchRecords } from './search.ts';
import { parseBodyTime, parseRecordSearch } from './search-query.ts';
import { sendTest } from './send-test.ts';
import { skipBlocking } from './skip.ts';
import { readStats } from './stats.ts';
import {
  findRecord,
  integrationExists,
  isEventVisible,
  listAttempts,
  listEventsOf,
  previewEvents,
} from './store.ts';

const tags = ['Integrations'];
const recordParams = Type.Object({
  ...params.properties,
  eventId: PathBigId('Record', '87'),
});
const dryRun = Type.Object({
  dryRun: Type.Optional(
    Type.String({
      title: 'ReplayDryRun',
      enum: ['true', 'false'],
      description: 'true: return the number of deliveries, and queue nothing',
      examples: ['true'],
    }),
  ),
});
const PREVIEW_DAYS = 7;
const MAX_PREVIEWED = 50;

export function deliveryRoutes(app: App, db: Db, settings: RenderSettings): void {
  const schemas = [
    IntegrationEvent,
    IntegrationEvents,
    DeliveryAttempt,
    IntegrationEventWithAttempts,
    EventDelivery,
    EventDeliveries,
    DeliveryCounts,
    DeliveryPeriod,
    IntegrationStats,
    Queued,
    ReplayPlan,
    RequestHeader,
    RenderedRequest,
    RenderedDelivery,
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
          'Returns one record for each delivery, newest first. Several filters must all match. With status, type or query, a page looks at 10,000 records; next continues after them. Requires ADMIN, because records contain events of every project.',
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
      const id = Number(request.params.id);
      if (!(await integrationExists(db, id))) throw notFound(`Integration ${id}`);
      return presentFound(await searchRecords(db, id, search));
    },
  );

  app.get(
    '/api/admin/addons/:id/stats',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getIntegrationStats',
        tags,
        summary: 'Get the statistics of an integration',
        description:
          'Returns the number of open deliveries, and counts and durations of the attempts of the last 24 hours, by hour, and of the last 30 days, by day. An attempt counts in the hour in which it ended. Requires ADMIN.',
        params,
        response: {
          200: jsonResponse('The statistics', IntegrationStats),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await integrationExists(db, id))) throw notFound(`Integration ${id}`);
      return await readStats(db, id, new Date());
    },
  );

  app.get(
    '/api/admin/deliveries',
    {
      config: { permission: ['ADMIN'] },
      schema: {
        operationId: 'getDeliveries',
        tags,
        summary: 'List the deliveries of all integrations',
        description:
          'Returns one record for each delivery to any integration, newest first. Several filters must all match. With status, type or query, a page looks at 10,000 records; next continues after them. Requires ADMIN, because records contain events of every project.',
        querystring: RecordQuery,
        response: {
          200: jsonResponse('The records', IntegrationEvents),
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async request => presentFound(await searchRecords(db, 'all', parseRecordSearch(request.query))),
  );

  app.get(
    '/api/admin/events/:id/deliveries',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getEventDeliveries',
        tags,
        summary: 'List the deliveries of an event',
        description:
          'Returns the deliveries of an event to all integrations, newest first. An event that the caller cannot see gets 404. Integrations that the caller cannot see are omitted. Every authenticated caller may call it.',
        params: Type.Object({ id: PathBigId('Event', '4211') }),
        response: {
          200: jsonResponse('The deliveries', EventDeliveries),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async request => {
      const id = Number(request.params.id);
      if (!(await isEventVisible(db, request.actor, id))) throw notFound(`Event ${id}`);
      return { deliveries: await listVisibleDeliveries(db, request.actor, id) };
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
      config: { permission: ['ADMIN'], rejectCaseVariants: true },
      schema: {
        operationId: 'redeliverIntegrationEvent',
        tags,
        summary: 'Redeliver an event',
        description:
          'Restarts the schedule of an ended delivery, with the same webhook-id. The next attempt of a retrying delivery becomes due now. With dryRun nothing is queued. Requires ADMIN. Events: integration-redelivered.',
        params: recordParams,
        querystring: dryRun,
        response: {
          200: jsonResponse('The plan, with dryRun', ReplayPlan),
          202: jsonResponse('The delivery is queued', Queued),
          ...errorResponses(400, 401, 403, 404, 409),
        },
      },
    },
    async (request, reply) => {
      const { id, eventId } = request.params;
      if (request.query.dryRun === 'true')
        return await planRedelivery(db, request.actor, Number(id), Number(eventId));
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
      config: {
        permission: ['ADMIN'],
        cost: COST.bulk,
        rejectCaseVariants: true,
        checks: [
          ({ body }) => checkTime(body.since, '/body/since'),
          ({ body }) => checkTime(body.until, '/body/until'),
          ({ body }) => checkOrder(body, 'since', 'until'),
        ],
      },
      schema: {
        operationId: 'redeliverFailedIntegrationEvents',
        tags,
        summary: 'Redeliver failed events',
        description:
          'Restarts the schedule of every failed delivery that was created in a range of time, oldest first, at most 10,000 per request. With dryRun nothing is queued. Requires ADMIN. Events: integration-redelivered.',
        params,
        querystring: dryRun,
        body: Since,
        response: {
          200: jsonResponse('The plan, with dryRun', ReplayPlan),
          202: jsonResponse('The number of queued deliveries', Queued),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { since, until } = request.body;
      checkOrder(request.body, 'since', 'until');
      const range = {
        since: parseBodyTime(since, '/body/since'),
        ...(until === undefined ? {} : { until: parseBodyTime(until, '/body/until') }),
      };
      const id = Number(request.params.id);
      if (request.query.dryRun === 'true') return await planFailed(db, request.actor, id, range);
      const queued = await change(db, request.actor, current => redeliverFailed(current, id, range));
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
          'Returns the events of the last days that match the filters of the integration, and the request that would deliver one of them, with secrets masked. Nothing is sent. Requires ADMIN.',
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
      const { eventId } = request.body;
      const [event] = eventId === undefined ? events : await listEventsOf(db, [eventId]);
      if (eventId !== undefined && !event) throw notFound(`Event ${eventId}`);
      const report = (error: unknown) => request.log.error({ err: error }, 'preview of a delivery failed');
      return {
        total,
        events: events.map(withIp),
        rendered: event ? await renderDelivery(db, settings, id, event, report) : null,
      };
    },
  );

  app.post(
    '/api/admin/addons/:id/backfill',
    {
      config: {
        cost: COST.bulk,
        permission: ['ADMIN'],
        rejectCaseVariants: true,
        checks: [
          ({ body }) => checkTime(body.from, '/body/from'),
          ({ body }) => checkTime(body.to, '/body/to'),
          ({ body }) => checkOrder(body, 'from', 'to'),
        ],
      },
      schema: {
        operationId: 'backfillAddon',
        tags,
        summary: 'Backfill an integration',
        description:
          'Delivers earlier events that match the filters and were not delivered, oldest first, at most 10,000 per request. Use it for a new integration, or for events that were missed while it was disabled. With dryRun nothing is queued. Requires ADMIN. Events: integration-backfilled.',
        params,
        querystring: dryRun,
        body: Backfill,
        response: {
          200: jsonResponse('The plan, with dryRun', ReplayPlan),
          202: jsonResponse('The number of queued deliveries', Queued),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      checkOrder(request.body, 'from', 'to');
      const range = {
        since: parseBodyTime(request.body.from, '/body/from'),
        until: parseBodyTime(request.body.to ?? new Date().toISOString(), '/body/to'),
      };
      const id = Number(request.params.id);
      if (request.query.dryRun === 'true') return await planOfBackfill(db, request.actor, id, range);
      const queued = await change(db, request.actor, current => backfill(current, id, range));
      return reply.code(202).send(queued);
    },
  );
}

/** The first check of a body runs before its schema, so a field may be absent. */
function checkTime(value: string | undefined, path: string): void {
  if (value !== undefined) parseBodyTime(value, path);
}

/** An end before the start is an error of the caller: such a range has no deliveries. */
function checkOrder<Name extends string>(
  body: { [name in Name]?: string | undefined },
  first: Name,
  last: Name,
): void {
  const [start, end] = [body[first], body[last]];
  if (start === undefined || end === undefined) return;
  if (Date.parse(end) >= Date.parse(start)) return;
  throw badData([
    { message: `${last} "${end}" must not be before ${first} "${start}".`, path: `/body/${last}` },
  ]);
}
