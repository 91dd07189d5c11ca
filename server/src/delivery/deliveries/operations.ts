import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse, Optional, PathBigId, PathEventId } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import type { Reader } from '../../platform/db/database.ts';
import { hintAboutUnknownType } from '../../record/events/unknown-type.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { params } from '../integrations/schema.ts';
import { RenderedRequest, RequestHeader } from '../sending/schema.ts';
import { backfill, type EventRange, presentBackfillPlan } from './backfill.ts';
import { listVisibleDeliveries } from './event-deliveries.ts';
import { present, presentRecords } from './present.ts';
import {
  type FailedRange,
  planFailedRedelivery,
  planRedelivery,
  redeliver,
  redeliverFailed,
} from './redeliver.ts';
import {
  BackfillRequest,
  DeliveryAttempt,
  DeliveryCounts,
  DeliveryPeriod,
  EventDeliveries,
  EventDelivery,
  IntegrationEvent,
  IntegrationEvents,
  IntegrationEventWithAttempts,
  IntegrationStats,
  QueuedDeliveries,
  RecordQuery,
  RedeliverRequest,
  ReplayPlan,
} from './schema.ts';
import { searchRecords } from './search.ts';
import { parseBodyTime, parseRecordSearch } from './search-query.ts';
import { sendTest } from './send-test.ts';
import { skipBlocking } from './skip.ts';
import { readStats } from './stats.ts';
import { findRecord, integrationExists, isEventVisible, listAttempts } from './store.ts';

const recordParams = Type.Object({
  ...params.properties,
  eventId: PathBigId('Record', '87'),
});
const dryRunQuery = Type.Object({
  dryRun: Optional.String({
    title: 'ReplayDryRun',
    enum: ['true', 'false'],
    description: 'true: return the number of deliveries, and queue nothing',
    examples: ['true'],
  }),
});
const plan = jsonResponse('The plan, if `dryRun` is true', ReplayPlan);

export const DELIVERIES: OperationModule = {
  tag: 'Integrations',
  schemas: [
    IntegrationEvent,
    IntegrationEvents,
    DeliveryAttempt,
    IntegrationEventWithAttempts,
    EventDelivery,
    EventDeliveries,
    DeliveryCounts,
    DeliveryPeriod,
    IntegrationStats,
    QueuedDeliveries,
    ReplayPlan,
    RequestHeader,
    RenderedRequest,
  ],
  operations: [
    query({
      id: 'getIntegrationEvents',
      route: 'GET /api/admin/addons/:id/events',
      summary: 'List the deliveries of an integration',
      description:
        'Returns one record for each delivery, newest first. A record must match all filters. With status, type or query, the server examines 10,000 records per page; use next to continue after them. Records contain events from every project.',
      permission: ['ADMIN'],
      hint: hintAboutUnknownType,
      params,
      query: RecordQuery,
      output: jsonResponse('The records', IntegrationEvents),
      checks: [({ query }) => parseRecordSearch(query)],
      read: async ({ db }, { params: { id }, query }) => {
        const search = parseRecordSearch(query);
        await requireIntegration(db, Number(id));
        return presentRecords(await searchRecords(db, Number(id), search));
      },
    }),
    query({
      id: 'getIntegrationStats',
      route: 'GET /api/admin/addons/:id/stats',
      summary: 'Get the statistics of an integration',
      description:
        'Returns the number of open deliveries, and the counts and durations of attempts, by hour for the last 24 hours and by day for the last 30 days. An attempt counts towards the hour in which it ended.',
      permission: ['ADMIN'],
      params,
      output: jsonResponse('The statistics', IntegrationStats),
      rejects: [400],
      read: async ({ db }, { params: { id } }) => {
        await requireIntegration(db, Number(id));
        return await readStats(db, Number(id), new Date());
      },
    }),
    query({
      id: 'getDeliveries',
      route: 'GET /api/admin/deliveries',
      summary: 'List the deliveries of all integrations',
      description:
        'Returns one record for each delivery to any integration, newest first. A record must match all filters. With status, type or query, the server examines 10,000 records per page; use next to continue after them. Records contain events from every project.',
      permission: ['ADMIN'],
      hint: hintAboutUnknownType,
      query: RecordQuery,
      output: jsonResponse('The records', IntegrationEvents),
      read: async ({ db }, { query }) =>
        presentRecords(await searchRecords(db, 'all', parseRecordSearch(query))),
    }),
    query({
      id: 'getEventDeliveries',
      route: 'GET /api/admin/events/:id/deliveries',
      summary: 'List the deliveries of an event',
      description:
        'Returns the deliveries of an event to all integrations, newest first. Returns 404 for an event that the caller cannot see. Integrations that the caller cannot see are omitted. Every authenticated caller may call it.',
      permission: 'NONE',
      params: Type.Object({ id: PathEventId('4211') }),
      output: jsonResponse('The deliveries', EventDeliveries),
      rejects: [400],
      read: async ({ db, actor }, { params }) => {
        const id = Number(params.id);
        if (!(await isEventVisible(db, actor, id))) throw notFound(`Event ${id}`);
        return { deliveries: await listVisibleDeliveries(db, actor, id) };
      },
    }),
    query({
      id: 'getIntegrationEvent',
      route: 'GET /api/admin/addons/:id/events/:eventId',
      summary: 'Get a delivery with its attempts',
      description: 'Returns a record and its attempts, oldest first.',
      permission: ['ADMIN'],
      params: recordParams,
      output: jsonResponse('The record', IntegrationEventWithAttempts),
      rejects: [400],
      read: async ({ db }, { params: { id, eventId } }) => {
        const record = await findRecord(db, Number(id), Number(eventId));
        if (!record) throw notFound(`Record ${eventId} of integration ${id}`);
        return { ...present(record), attemptList: await listAttempts(db, Number(eventId)) };
      },
    }),
    command({
      id: 'redeliverIntegrationEvent',
      route: 'POST /api/admin/addons/:id/events/:eventId/redeliver',
      summary: 'Redeliver an event',
      description:
        'Restarts the schedule of a finished delivery, with the same webhook-id. The next attempt of a retrying delivery becomes due now. With dryRun, nothing is queued.',
      permission: ['ADMIN'],
      params: recordParams,
      query: dryRunQuery,
      output: jsonResponse('The delivery is queued', QueuedDeliveries),
      status: 202,
      rejects: [409],
      events: ['integration-redelivered'],
      run: (current, { params: { id, eventId } }) => redeliver(current, Number(id), Number(eventId)),
      dryRun: {
        output: plan,
        read: ({ db, actor }, { params: { id, eventId } }) =>
          planRedelivery(db, actor, Number(id), Number(eventId)),
      },
    }),
    command({
      id: 'skipIntegrationEvent',
      route: 'POST /api/admin/addons/:id/events/:eventId/skip',
      summary: 'Skip a blocking delivery',
      description:
        'For ordered integrations with whenExhausted: block. Skips an exhausted delivery and continues with the next event.',
      permission: ['ADMIN'],
      params: recordParams,
      rejects: [400, 409],
      events: ['integration-delivery-skipped'],
      run: (current, { params: { id, eventId } }) => skipBlocking(current, Number(id), Number(eventId)),
    }),
    command({
      id: 'redeliverFailedIntegrationEvents',
      route: 'POST /api/admin/addons/:id/redeliver',
      summary: 'Redeliver failed events',
      description:
        'Restarts the schedule of every failed delivery that was created in a time range, oldest first, at most 10,000 per request. With dryRun, nothing is queued.',
      permission: ['ADMIN'],
      cost: COST.bulk,
      params,
      query: dryRunQuery,
      body: RedeliverRequest,
      output: jsonResponse('The number of queued deliveries', QueuedDeliveries),
      status: 202,
      checks: [
        ({ body }) => checkTime(body.since, '/body/since'),
        ({ body }) => checkTime(body.until, '/body/until'),
        ({ body }) => checkOrder(body, 'since', 'until'),
      ],
      events: ['integration-redelivered'],
      run: async (current, { params: { id }, body }) =>
        await redeliverFailed(current, Number(id), parseFailedRange(body)),
      dryRun: {
        output: plan,
        read: async ({ db, actor }, { params: { id }, body }) =>
          await planFailedRedelivery(db, actor, Number(id), parseFailedRange(body)),
      },
    }),
    command({
      id: 'testAddon',
      route: 'POST /api/admin/addons/:id/test',
      summary: 'Send a test event to an integration',
      description:
        'Records an event that is delivered only to this integration, regardless of its filters and even while it is disabled. The delivery record shows the result.',
      permission: ['UPDATE_ADDON'],
      params,
      status: 202,
      rejects: [400],
      events: ['integration-tested'],
      run: (current, { params: { id } }) => sendTest(current, Number(id)),
    }),
  ],
};

export const BACKFILL: OperationModule = {
  tag: 'Integrations',
  schemas: [],
  operations: [
    command({
      id: 'backfillAddon',
      route: 'POST /api/admin/addons/:id/backfill',
      summary: 'Backfill an integration',
      description:
        'Delivers earlier events that match the filters and were not delivered, oldest first, at most 10,000 per request. Use it for a new integration, or for events that were missed while it was disabled. With dryRun, nothing is queued.',
      permission: ['ADMIN'],
      cost: COST.bulk,
      params,
      query: dryRunQuery,
      body: BackfillRequest,
      output: jsonResponse('The number of queued deliveries', QueuedDeliveries),
      status: 202,
      checks: [
        ({ body }) => checkTime(body.from, '/body/from'),
        ({ body }) => checkTime(body.to, '/body/to'),
        ({ body }) => checkOrder(body, 'from', 'to'),
      ],
      events: ['integration-backfilled'],
      run: async (current, { params: { id }, body }) =>
        await backfill(current, Number(id), parseEventRange(body)),
      dryRun: {
        output: plan,
        read: async ({ db, actor }, { params: { id }, body }) =>
          await presentBackfillPlan(db, actor, Number(id), parseEventRange(body)),
      },
    }),
  ],
};

async function requireIntegration(db: Reader, id: number): Promise<void> {
  if (!(await integrationExists(db, id))) throw notFound(`Integration ${id}`);
}

function parseFailedRange(body: Static<typeof RedeliverRequest>): FailedRange {
  checkOrder(body, 'since', 'until');
  return {
    since: parseBodyTime(body.since, '/body/since'),
    ...(body.until === undefined ? {} : { until: parseBodyTime(body.until, '/body/until') }),
  };
}

function parseEventRange(body: Static<typeof BackfillRequest>): EventRange {
  checkOrder(body, 'from', 'to');
  return {
    since: parseBodyTime(body.from, '/body/from'),
    until: parseBodyTime(body.to ?? new Date().toISOString(), '/body/to'),
  };
}

/** The checks run even if the body violates the schema, so a field may be absent. */
function checkTime(value: string | undefined, path: string): void {
  if (value !== undefined) parseBodyTime(value, path);
}

/** Rejects a range that ends before it starts, because it would contain no deliveries. */
function checkOrder<Name extends string>(
  body: { [name in Name]?: string | undefined },
  startName: Name,
  endName: Name,
): void {
  const [start, end] = [body[startName], body[endName]];
  if (start === undefined || end === undefined) return;
  if (Date.parse(end) >= Date.parse(start)) return;
  throw badData([
    { message: `${endName} "${end}" must not be before ${startName} "${start}".`, path: `/body/${endName}` },
  ]);
}
