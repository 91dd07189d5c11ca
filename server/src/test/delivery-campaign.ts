import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createIntegration } from '../delivery/integrations/create.ts';
import { createInitialAdminTokens } from '../people/api-tokens/initial-admin-tokens.ts';
import { SYSTEM } from '../platform/actor.ts';
import { type Db, openDb } from '../platform/db/database.ts';
import { asApiError } from '../platform/db/failures.ts';
import { migrate } from '../platform/db/migrate.ts';
import { keyringOf } from '../platform/secrets/seal.ts';
import { change } from '../record/change.ts';
import { registerWriters } from '../record/change-writers.ts';
import { WRITERS } from '../writers.ts';
import { ADMIN_TOKEN } from './harness.ts';
import { type RunningServer, startProcess, stopProcess } from './process.ts';
import { type Received, startReceiver } from './receiver.ts';

export type Campaign = {
  databaseUrl: string;
  events: number;
  integrations: number;
  /** How often the server is killed while it delivers. */
  kills: number;
  /** Each time it is killed once a few requests have arrived, or after this time at the latest. */
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
  failed: number;
  /** Not attempted yet when the time was up. */
  open: number;
  /** Deliveries that did not succeed, were not made to fail, and are not open. */
  lost: number;
  /** The outcomes of deliveries that failed although nothing made them fail. */
  wronglyFailed: string[];
  /** Recorded as a success without a successful response. */
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
/** 22 attempts: if half of them are rejected, one delivery in four million fails by chance. */
const SCHEDULE = ['0', ...Array(21).fill('0.3')].join(',');

/**
 * Delivers events to a receiver that is slow, fails half the time and hangs sometimes, while the delivering server is
 * killed at random moments, and counts the outcome of every delivery.
 */
export async function runCampaign(campaign: Campaign): Promise<CampaignResult> {
  const { databaseUrl, random, say = () => {} } = campaign;
  const db = openDb({ url: databaseUrl, poolSize: 4, onError: () => {} });
  await migrate(databaseUrl);
  registerWriters(WRITERS);
  await createInitialAdminTokens(db, [ADMIN_TOKEN]);
  const receiver = await startReceiver();
  const accepted = new Map<string, number>();
  const arrived = new Map<string, number>();
  let requests = 0;
  /** The moment depends on the receiver and not on a clock, so that a request is certainly in flight. */
  const requestsArrive = async (count: number) => {
    const [wanted, until] = [requests + count, Date.now() + campaign.killWithinMs];
    while (requests < wanted && Date.now() < until) await sleep(2);
  };
  const isRejected = (request: Received) =>
    Number(request.headers['x-event-id']) % campaign.rejectEvery === 0;
  receiver.respondWith((request, response) => {
    const id = String(request.headers['webhook-id']);
    requests++;
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    // Bodies are not kept, because a long run would fill the memory with them.
    receiver.received.length = 0;
    if (random() < campaign.hanging) return;
    setTimeout(() => respond(response, id, !isRejected(request) && random() < 0.5), random() * 60);
  });
  const respond = (response: ServerResponse, id: string, accept: boolean) => {
    if (accept && !response.destroyed) accepted.set(id, (accepted.get(id) ?? 0) + 1);
    response.writeHead(accept ? 200 : 500).end();
  };
  for (let n = 0; n < campaign.integrations; n++) {
    const settings = { keyring: keyringOf(KEY, []), targets: { allowed: [], allowPrivate: true } };
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
  let kills = 0;
  let restarts = 0;
  try {
    await start();
    const faults = campaign.kills + (campaign.restarts?.count ?? 0);
    // Spread over the whole run, so that there is always something in flight.
    const writing = writeEvents(db, campaign.events, () => (kills + restarts + 1) / faults);
    while (kills < campaign.kills) {
      await requestsArrive(1 + Math.floor(random() * 60));
      if (server) await stopProcess(server, 'SIGKILL');
      kills++;
      await start();
      if (kills % 10 === 0)
        say(`${kills} kills, ${JSON.stringify(await countStates(db).catch(() => 'database away'))}`);
    }
    while (campaign.restarts && restarts < campaign.restarts.count) {
      await requestsArrive(1 + Math.floor(random() * 600));
      await campaign.restarts.restart();
      restarts++;
      say(`${restarts} restarts of the database`);
    }
    await writing;
    const until = Date.now() + campaign.settleWithinMs;
    for (let rounds = 1; ; rounds++) {
      // The first connection after a database restart is one that the restart has closed.
      const states = await countStates(db).catch(() => ({ pending: 1, retrying: 0 }));
      if ((states.pending ?? 0) + (states.retrying ?? 0) === 0) break;
      if (Date.now() > until) break;
      say(JSON.stringify(states));
      await sleep(1_000);
      // At the end only rejected events are left, and the circuit breaker pauses longer and longer.
      if (rounds % ROUNDS_UNTIL_RESTART === 0 && server) {
        await stopProcess(server);
        await start();
      }
    }
    const survived = server?.process.exitCode === null && server.process.signalCode === null;
    if (!survived) throw new Error('The server died by itself');
    return { ...(await judge(db, campaign, accepted, arrived)), kills, restarts };
  } finally {
    if (server?.process.exitCode === null && server.process.signalCode === null)
      await stopProcess(server, 'SIGKILL');
    await receiver.close();
    await db.destroy();
  }
}

/** Each in a separate transaction, retried while the database is down. */
async function writeEvents(db: Db, count: number, progress: () => number): Promise<void> {
  for (let n = 0; n < count; n++) {
    while (n / count > progress()) await sleep(20);
    const name = createHash('sha1').update(String(n)).digest('hex').slice(0, 20);
    for (;;) {
      try {
        await change(db, SYSTEM, async ({ record }) => record({ type: 'tag-type-created', data: { name } }));
        break;
      } catch (error) {
        if (!asApiError(error)) throw error;
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

async function judge(
  db: Db,
  campaign: Campaign,
  accepted: Map<string, number>,
  arrived: Map<string, number>,
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
  const wanted = (events[0]?.count ?? 0) * campaign.integrations;
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  const success = rows.filter(row => row.state === 'success');
  const failed = rows.filter(row => row.state === 'failed' && row.eventId % campaign.rejectEvery === 0);
  const open = rows.filter(row => row.state === 'pending' || row.state === 'retrying').length;
  return {
    events: events[0]?.count ?? 0,
    deliveries: rows.length,
    success: success.length,
    failed: failed.length,
    open,
    lost: wanted - success.length - failed.length - open,
    wronglyFailed: rows
      .filter(row => row.state === 'failed' && row.eventId % campaign.rejectEvery !== 0)
      .map(row => row.outcomes),
    phantom: success.filter(row => !accepted.has(row.webhookId)).length,
    duplicates: sum(accepted.values()) - accepted.size,
    requests: sum(arrived.values()),
    attempts: sum(rows.map(row => row.attempts)),
    interrupted: sum(rows.map(row => row.interrupted)),
    unrecorded: sum(rows.map(row => Math.max(0, (arrived.get(row.webhookId) ?? 0) - row.attempts))),
    unfinished: sum(rows.map(row => row.unfinished)),
  };
}

/** Mulberry32: a run can be repeated with its seed, except for the timing of the machine. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
