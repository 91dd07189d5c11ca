import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createIntegration } from '../delivery/integrations/create.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { SYSTEM } from '../platform/actor.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { translateDbError } from '../platform/db/failures.ts';
import { migrate } from '../platform/db/migrate.ts';
import { makeKeyring } from '../platform/secrets/seal.ts';
import { change } from '../record/change.ts';
import { registerWriters } from '../record/change-writers.ts';
import { WRITERS } from '../writers.ts';
import { ADMIN_TOKEN } from './harness.ts';
import { type RunningServer, startProcess, stopProcess } from './process.ts';
import { type ReceivedRequest, startReceiver } from './receiver.ts';

export type Campaign = {
  databaseUrl: string;
  events: number;
  integrations: number;
  /** How many times the server is killed while it delivers. */
  kills: number;
  /** The server is killed once a few requests have arrived, or after this time at the latest. */
  killWithinMs: number;
  /** How many times the database is restarted during the run. */
  restarts?: { count: number; restart: () => Promise<void> };
  /** The share of requests that get no response. */
  hanging: number;
  /** Every receiver always rejects every n-th event. */
  rejectEvery: number;
  random: () => number;
  settleWithinMs: number;
  say?: (text: string) => void;
};

export type CampaignResult = {
  events: number;
  deliveries: number;
  kills: number;
  restarts: number;
  success: number;
  /** The number of deliveries that failed because the receivers always reject their event. */
  failed: number;
  /** The number of deliveries that were still open when the time was up. */
  open: number;
  /** Deliveries that did not succeed, were not forced to fail, and are not open. */
  lost: number;
  /** The outcomes of deliveries that failed without being forced to. */
  wronglyFailed: string[];
  /** The number of deliveries recorded as a success without a successful response. */
  phantom: number;
  /** Successful responses after the first one of a delivery. */
  duplicates: number;
  requests: number;
  attempts: number;
  interrupted: number;
  /** Requests that arrived without a recorded attempt. */
  unrecorded: number;
  unfinished: number;
};

const ROUNDS_UNTIL_RESTART = 10;
const KEY = Buffer.alloc(32, 7);
/** There are 22 attempts, so that only one delivery in four million fails by chance if half of the attempts are rejected. */
const SCHEDULE = ['0', ...Array(21).fill('0.3')].join(',');

/**
 * Delivers events to a receiver that is slow, fails half the time and sometimes hangs, while the delivering server is killed at
 * random moments, and counts the outcome of every delivery.
 */
export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const { databaseUrl, random, say = () => {} } = campaign;
  const db = openDb({ url: databaseUrl, poolSize: 4, onError: () => {} });
  await migrate(databaseUrl);
  registerWriters(WRITERS);
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  const receiver = await startReceiver();
  const acceptedCounts = new Map<string, number>();
  const arrivedCounts = new Map<string, number>();
  let requests = 0;
  /** Waits until this many requests have arrived, because after a fixed time, there might be no request in flight. */
  const waitForRequests = async (count: number) => {
    const [target, deadline] = [requests + count, Date.now() + campaign.killWithinMs];
    while (requests < target && Date.now() < deadline) await sleep(2);
  };
  const isRejected = (request: ReceivedRequest) =>
    Number(request.headers['x-event-id']) % campaign.rejectEvery === 0;
  receiver.respondWith((request, response) => {
    const id = String(request.headers['webhook-id']);
    requests++;
    arrivedCounts.set(id, (arrivedCounts.get(id) ?? 0) + 1);
    // Discards the bodies, which would fill the memory during a long run.
    receiver.received.length = 0;
    if (random() < campaign.hanging) return;
    setTimeout(() => respond(response, id, !isRejected(request) && random() < 0.5), random() * 60);
  });
  const respond = (response: ServerResponse, id: string, accept: boolean) => {
    if (accept && !response.destroyed) acceptedCounts.set(id, (acceptedCounts.get(id) ?? 0) + 1);
    response.writeHead(accept ? 200 : 500).end();
  };
  for (let n = 0; n < campaign.integrations; n++) {
    const settings = { keyring: makeKeyring(KEY, []), targets: { allowed: [], allowPrivate: true } };
    const input = {
      provider: 'webhook',
      enabled: true,
      events: ['tag-type-created'],
      parameters: { url: `${receiver.url}/hook/${n}` },
    };
    await change(db, SYSTEM, current => createIntegration(current, settings, input));
  }

  let server: RunningServer | undefined;
  const start = async () => {
    const env = {
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'fatal',
      HALYARD_SECRET_KEY: KEY.toString('base64'),
      HALYARD_ALLOW_PRIVATE_TARGETS: 'true',
      HALYARD_DELIVERY_SCHEDULE: SCHEDULE,
    };
    server = await startProcess(env);
  };
  let killCount = 0;
  let restartCount = 0;
  try {
    await start();
    const faults = campaign.kills + (campaign.restarts?.count ?? 0);
    // The events are spread over the whole run, so that there is always something in flight.
    const allWritten = writeEvents(db, campaign.events, () => (killCount + restartCount + 1) / faults);
    while (killCount < campaign.kills) {
      await waitForRequests(1 + Math.floor(random() * 60));
      if (server) await stopProcess(server, 'SIGKILL');
      killCount++;
      await start();
      if (killCount % 10 === 0)
        say(
          `${killCount} kills, ${JSON.stringify(await countStates(db).catch(() => 'database unreachable'))}`,
        );
    }
    while (campaign.restarts && restartCount < campaign.restarts.count) {
      await waitForRequests(1 + Math.floor(random() * 600));
      await campaign.restarts.restart();
      restartCount++;
      say(`${restartCount} restarts of the database`);
    }
    await allWritten;
    const deadline = Date.now() + campaign.settleWithinMs;
    for (let rounds = 1; ; rounds++) {
      // After a database restart, the first query fails, because it uses a connection that the restart has closed.
      const states = await countStates(db).catch(() => ({ pending: 1, retrying: 0 }));
      if ((states.pending ?? 0) + (states.retrying ?? 0) === 0) break;
      if (Date.now() > deadline) break;
      say(JSON.stringify(states));
      await sleep(1_000);
      // In the end, only events that the receivers reject remain, so the circuit breaker pauses for longer and longer. A restart
      // resets it.
      if (rounds % ROUNDS_UNTIL_RESTART === 0 && server) {
        await stopProcess(server);
        await start();
      }
    }
    const isRunning = server?.process.exitCode === null && server.process.signalCode === null;
    if (!isRunning) throw new Error('The server exited unexpectedly');
    return {
      ...(await countOutcomes(db, campaign, acceptedCounts, arrivedCounts)),
      kills: killCount,
      restarts: restartCount,
    };
  } finally {
    if (server?.process.exitCode === null && server.process.signalCode === null)
      await stopProcess(server, 'SIGKILL');
    await receiver.close();
    await db.destroy();
  }
}

/** Creates each event in a separate transaction, and retries while the database is down. */
async function writeEvents(db: Db, count: number, progress: () => number): Promise<void> {
  for (let n = 0; n < count; n++) {
    while (n / count > progress()) await sleep(20);
    const name = createHash('sha1').update(String(n)).digest('hex').slice(0, 20);
    for (;;) {
      try {
        await change(db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: { name } }));
        break;
      } catch (error) {
        if (!translateDbError(error)) throw error;
        await sleep(200);
      }
    }
  }
}

type States = { pending?: number; retrying?: number };

async function countStates(db: Db): Promise<States> {
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) from integration_deliveries group by state`.execute(db);
  return Object.fromEntries(rows.map(row => [row.state, row.count]));
}

async function countOutcomes(
  db: Db,
  campaign: Campaign,
  acceptedCounts: Map<string, number>,
  arrivedCounts: Map<string, number>,
): Promise<Omit<CampaignResult, 'kills' | 'restarts'>> {
  const { rows } = await sql<{
    state: string;
    webhookId: string;
    eventId: number;
    attempts: number;
    interrupted: number;
    unfinished: number;
    outcomes: string;
  }>`
    select state, webhook_id as "webhookId", event_id as "eventId", count(number) as attempts,
      count(number) filter (where outcome = 'interrupted') as interrupted,
      count(number) filter (where outcome is null) as unfinished,
      string_agg(outcome || coalesce(' ' || status, ''), ', ' order by number) as outcomes
    from integration_deliveries d left join integration_attempts on delivery_id = d.id
    group by d.id`.execute(db);
  const { rows: events } = await sql<{ count: number }>`
    select count(*) from events where type = 'tag-type-created'`.execute(db);
  const expectedDeliveries = (events[0]?.count ?? 0) * campaign.integrations;
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  const successfulRows = rows.filter(row => row.state === 'success');
  const failedRows = rows.filter(row => row.state === 'failed' && row.eventId % campaign.rejectEvery === 0);
  const openCount = rows.filter(row => row.state === 'pending' || row.state === 'retrying').length;
  return {
    events: events[0]?.count ?? 0,
    deliveries: rows.length,
    success: successfulRows.length,
    failed: failedRows.length,
    open: openCount,
    lost: expectedDeliveries - successfulRows.length - failedRows.length - openCount,
    wronglyFailed: rows
      .filter(row => row.state === 'failed' && row.eventId % campaign.rejectEvery !== 0)
      .map(row => row.outcomes),
    phantom: successfulRows.filter(row => !acceptedCounts.has(row.webhookId)).length,
    duplicates: sum(acceptedCounts.values()) - acceptedCounts.size,
    requests: sum(arrivedCounts.values()),
    attempts: sum(rows.map(row => row.attempts)),
    interrupted: sum(rows.map(row => row.interrupted)),
    unrecorded: sum(rows.map(row => Math.max(0, (arrivedCounts.get(row.webhookId) ?? 0) - row.attempts))),
    unfinished: sum(rows.map(row => row.unfinished)),
  };
}

/** Creates a Mulberry32 generator, so that a run can be repeated with its seed, except for the timing of the machine. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
