// Runs real SDKs on every transport against two servers while flags change and servers are killed. Then raises the epoch, and makes
// the database unreachable. No SDK may go back in time, and in the end every SDK must have what the database has.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Unleash } from 'unleash-client';
import { openDb } from '../server/src/platform/db/database.ts';
import { makeApiToken, makeFeature } from '../server/src/test/factories.ts';
import { startSdk, TRANSPORTS, type Transport } from '../server/src/test/sdk-client.ts';
import { startBalancer } from './balancer.ts';
import { count, listed, load, makeDatabase, readSettings, runCampaign } from './campaign.ts';
import { startLoop } from './load.ts';
import { percentile } from './measure.ts';
import { differenceOf, flagsOf, numberOf, readDocuments, strategyOf, waitUntilEqual } from './sdks.ts';
import { printMachine, startProxiedServers } from './server.ts';

const settings = readSettings(
  'npm run campaign:sdk',
  'Kills servers while flags change, raises the epoch, makes the database unreachable, and compares all SDKs with the database.',
  {
    sdks: [50, 'SDKs on each transport'],
    seconds: [120, 'Duration of the kills'],
    outage: [20, 'Seconds without the database'],
    writers: [8, 'Writers, each with a separate flag'],
  },
);

const ENVIRONMENT = 'production';
const POLL_MS = 1_000;
const WRITE_MS = 300;
const EQUAL_WITHIN_MS = 60_000;
const ARRIVES_WITHIN_MS = 2_000;
const LAST_CHANGE = 999_999;
const ALL_TRANSPORTS = Object.keys(TRANSPORTS) as Transport[];

type Observed = { sdk: Unleash; transport: Transport; seen: number[]; regressions: number; changes: number };

await runCampaign(async campaign => {
  const { fail, atEnd } = campaign;
  const url = await makeDatabase('sdks', campaign);
  const { proxy, servers, restart, stop } = await startProxiedServers(url);
  atEnd(proxy.close);
  atEnd(stop);
  const balancer = await startBalancer(servers.map(server => Number(new URL(server.url).port)));
  atEnd(balancer.close);
  const pool = new pg.Pool({ connectionString: url.href, max: settings.writers });
  atEnd(() => pool.end());
  const change = (writer: number, number: number) =>
    pool.query(
      'update feature_strategies set constraints = $1 where feature_name = $2 and environment = $3',
      [constraintsOf(number), `writer-${writer}`, ENVIRONMENT],
    );

  const token = await prepare(url, pool);
  const observed: Observed[] = [];
  atEnd(() => observed.forEach(({ sdk }) => void sdk.destroy()));
  for (const transport of ALL_TRANSPORTS)
    for (let n = 0; n < settings.sdks; n++) observed.push(await observe(balancer.url, token, transport));
  console.log(`${observed.length} SDKs ready, ${load()}`);

  /** After five failures in a minute, an SDK only polls. Its application calls this to stream again. */
  const stream = () => {
    for (const { sdk, transport } of observed)
      if (transport === 'streaming') void sdk.setExperimentalMode('streaming');
  };

  const expectEqual = async (when: string) => {
    const expected = await readDocuments(pool, ENVIRONMENT);
    const { differing, ms } = await waitUntilEqual(() => {
      stream();
      return observed.flatMap(({ sdk }) => differenceOf(flagsOf(sdk), expected) ?? []);
    }, EQUAL_WITHIN_MS);
    console.log(`${when}: ${differing.length} of ${observed.length} SDKs differ after ${ms.toFixed(0)} ms`);
    if (differing.length > 0) fail(`${when}: ${differing.length} SDKs differ: ${differing[0]}`);
  };

  let [commits, kills] = [0, 0];
  const writers = Array.from({ length: settings.writers }, (_, writer) =>
    startLoop(WRITE_MS, async n => {
      await change(writer, n + 1);
      commits++;
    }),
  );
  for (const until = performance.now() + settings.seconds * 1_000; performance.now() < until; kills++) {
    await sleep(2_000 + Math.random() * 3_000);
    const at = randomInt(2);
    process.kill(servers[at]?.pid ?? 0, 'SIGKILL');
    await restart(at);
    stream();
  }
  await Promise.all(writers.map(writer => writer.stop()));
  console.log(`${commits} changes, ${kills} kills, ${load()}`);
  if (commits === 0) fail('nothing was written');
  await expectEqual('after the kills');

  // Like a restored backup: the same revisions with different documents. Only the epoch reveals it.
  for (const one of observed) one.seen.fill(0);
  await pool.query(
    `update sdk_features set document = regexp_replace(document, '"values": ?\\["', '\\&1')
     where environment = $1 and name like 'writer-%'`,
    [ENVIRONMENT],
  );
  await pool.query('update sdk_epoch set number = number + 1');
  await expectEqual('after a new epoch');

  const polls = servers.flatMap(server =>
    [false, true].map(isConditional => poll(server.url, token, isConditional)),
  );
  await sleep(1_000);
  proxy.freeze();
  await sleep(settings.outage * 1_000);
  await change(0, LAST_CHANGE);
  proxy.thaw();
  const returned = performance.now();
  const arrivals = await Promise.all(observed.map(({ sdk }) => arrival(sdk, returned)));
  for (const statuses of await Promise.all(polls.map(end => end()))) {
    console.log(`${settings.outage} s without the database: ${listed(statuses)}`);
    const failed = [...statuses.keys()].filter(status => status !== '200' && status !== '304');
    if (failed.length > 0) fail(`reads failed without the database: ${failed.join()}`);
  }
  // An SDK that polls does so every POLL_MS.
  if (Math.max(...arrivals) > ARRIVES_WITHIN_MS + POLL_MS)
    fail(`a change arrived ${Math.max(...arrivals).toFixed(0)} ms after the return of the database`);
  await expectEqual('after the outage');

  for (const transport of ALL_TRANSPORTS) {
    const own = observed.filter(one => one.transport === transport);
    const sum = (of: (one: Observed) => number) => own.reduce((total, one) => total + of(one), 0);
    const times = arrivals.filter((_, at) => observed[at]?.transport === transport);
    const regressions = sum(one => one.regressions);
    console.log(
      `${transport}: ${own.length} SDKs, ${sum(one => one.changes)} changes seen, ${regressions} regressions; ` +
        `change after the outage, median / most: ${percentile(times, 0.5).toFixed(0)} / ${percentile(times, 1).toFixed(0)} ms`,
    );
    if (regressions > 0) fail(`${regressions} regressions by ${transport}`);
  }
});

function constraintsOf(number: number): string {
  return JSON.stringify(strategyOf(number).constraints);
}

/** One flag for each writer, enabled for the user whose name is the number of the last change. */
async function prepare(url: URL, pool: pg.Pool): Promise<string> {
  const db = openDb({ url: url.href, poolSize: 2, onError: () => {} });
  const client = await pool.connect();
  await printMachine(client);
  client.release();
  for (let n = 0; n < settings.writers; n++) await makeFeature(db, 'default', { name: `writer-${n}` });
  for (let n = 0; n < 100; n++) await makeFeature(db, 'default', { name: `other-${n}` });
  const fields = { tokenName: 'campaign', type: 'backend' as const, environment: ENVIRONMENT };
  const { secret } = await makeApiToken(db, fields);
  await pool.query(
    `insert into feature_strategies (feature_name, environment, strategy_name, constraints, sort_order)
     select name, $1, 'default', $2, 1 from features where name like 'writer-%'`,
    [ENVIRONMENT, constraintsOf(0)],
  );
  await db.destroy();
  return secret;
}

/** A real SDK behind the balancer. Every change is compared with what the SDK had before. */
async function observe(url: string, token: string, transport: Transport): Promise<Observed> {
  const sdk = await startSdk(url, token, transport, POLL_MS);
  const seen = new Array<number>(settings.writers).fill(0);
  const one: Observed = { sdk, transport, seen, regressions: 0, changes: 0 };
  const look = () => {
    one.changes++;
    for (const [writer, before] of seen.entries()) {
      const number = numberOf(sdk, `writer-${writer}`);
      if (number < before) {
        one.regressions++;
        console.log(`regression by ${transport}: writer ${writer} from ${before} to ${number}`);
      }
      seen[writer] = number;
    }
  };
  sdk.on('changed', look);
  look();
  return one;
}

/** Reads all flags until it is stopped. The returned function stops it and returns the statuses. */
function poll(url: string, token: string, isConditional: boolean): () => Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  let etag = '';
  const loop = startLoop(20, async () => {
    const response = await fetch(`${url}/api/client/features`, {
      headers: isConditional ? { ...headers, 'if-none-match': etag } : headers,
    }).catch(() => undefined);
    await response?.arrayBuffer();
    etag = response?.headers.get('etag') ?? etag;
    count(statuses, String(response?.status ?? 'no response'));
  });
  return async () => {
    await loop.stop();
    return statuses;
  };
}

/** Milliseconds until the SDK has the change made during the outage. */
async function arrival(sdk: Unleash, since: number): Promise<number> {
  while (numberOf(sdk, 'writer-0') !== LAST_CHANGE) {
    if (performance.now() - since > EQUAL_WITHIN_MS) return Number.POSITIVE_INFINITY;
    await sleep(5);
  }
  return performance.now() - since;
}
