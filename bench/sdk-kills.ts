// Runs real SDKs on every transport against two servers while flags change and servers are killed. Then raises the epoch, and makes
// the database unreachable. No SDK may go back in time, and in the end every SDK must have what the database has.
import { randomBytes, randomInt } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { Unleash } from 'unleash-client';
import { readOptions } from '../server/src/platform/command-line.ts';
import { openDb } from '../server/src/platform/db/database.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';
import { makeApiToken, makeFeature } from '../server/src/test/factories.ts';
import { startSdk, TRANSPORTS, type Transport } from '../server/src/test/sdk-client.ts';
import { startBalancer } from './balancer.ts';
import { percentile } from './measure.ts';
import { printMachine, type Server, startProxiedServers } from './server.ts';

const options = readOptions({
  run: 'npm run campaign:sdk',
  does: 'Kills servers while flags change, raises the epoch, makes the database unreachable, and compares all SDKs with the database.',
  options: {
    sdks: { type: 'string', default: '50', meaning: 'SDKs on each transport' },
    seconds: { type: 'string', default: '120', meaning: 'Duration of the kills' },
    outage: { type: 'string', default: '20', meaning: 'Seconds without the database' },
    writers: { type: 'string', default: '8', meaning: 'Writers, each with a separate flag' },
  },
});

const ENVIRONMENT = 'production';
const WRITERS = Number(options.writers);
const POLL_MS = 1_000;
const EQUAL_WITHIN_MS = 60_000;
const ARRIVES_WITHIN_MS = 2_000;

type Observed = { sdk: Unleash; transport: Transport; seen: number[]; regressions: number; changes: number };
type Document = { name: string; strategies: { constraints: { values: string[] }[] }[] };

const name = `halyard_sdks_${randomBytes(4).toString('hex')}`;
const problems: string[] = [];
const written = new Array<number>(WRITERS).fill(0);
let isWriting = true;
let commits = 0;
// Each start of a server and each SDK adds listeners.
process.setMaxListeners(0);

await createDatabase(name);
const url = new URL(urlOf(name));
const { proxy, servers, restart, stop } = await startProxiedServers(url);
const balancer = await startBalancer(servers.map(server => Number(new URL(server.url).port)));
const client = new pg.Client({ connectionString: url.href });
await client.connect();
const observed: Observed[] = [];
try {
  const token = await prepare();
  for (const transport of Object.keys(TRANSPORTS) as Transport[])
    for (let n = 0; n < Number(options.sdks); n++) observed.push(await observe(token, transport));
  console.log(`${observed.length} SDKs ready, load ${loadavg()[0]?.toFixed(1)}`);
  await killServers();
  await raiseEpoch();
  await disconnectDatabase(token);
  for (const transport of Object.keys(TRANSPORTS) as Transport[]) {
    const own = observed.filter(one => one.transport === transport);
    const sum = (of: (one: Observed) => number) => own.reduce((total, one) => total + of(one), 0);
    const regressions = sum(one => one.regressions);
    console.log(
      `${transport}: ${own.length} SDKs, ${sum(one => one.changes)} changes seen, ${regressions} regressions`,
    );
    if (regressions > 0) problems.push(`${regressions} regressions by ${transport}`);
  }
  console.log(problems.length === 0 ? 'no problem found' : problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  isWriting = false;
  for (const { sdk } of observed) sdk.destroy();
  balancer.close();
  await stop();
  await client.end();
  await proxy.close();
  await dropDatabase(name);
}
process.exit();

/** One flag for each writer, enabled for the user whose name is the number of the last change. */
async function prepare(): Promise<string> {
  const db = openDb({ url: url.href, poolSize: 2, onError: () => {} });
  await printMachine(client);
  for (let writer = 0; writer < WRITERS; writer++)
    await makeFeature(db, 'default', { name: `writer-${writer}` });
  for (let n = 0; n < 100; n++) await makeFeature(db, 'default', { name: `other-${n}` });
  const fields = { tokenName: 'campaign', type: 'backend' as const, environment: ENVIRONMENT };
  const token = (await makeApiToken(db, fields)).secret;
  await client.query(
    `insert into feature_strategies (feature_name, environment, strategy_name, constraints, sort_order)
     select name, $1, 'default', $2, 1 from features where name like 'writer-%'`,
    [ENVIRONMENT, constraintsOf(0)],
  );
  await db.destroy();
  return token;
}

function constraintsOf(number: number): string {
  const constraint = {
    contextName: 'userId',
    operator: 'IN',
    values: [String(number)],
    inverted: false,
    caseInsensitive: false,
  };
  return JSON.stringify([constraint]);
}

/** A real SDK behind the balancer. Every change is compared with what the SDK had before. */
async function observe(token: string, transport: Transport): Promise<Observed> {
  const sdk = await startSdk(balancer.url, token, transport, POLL_MS);
  const one: Observed = { sdk, transport, seen: new Array(WRITERS).fill(0), regressions: 0, changes: 0 };
  const look = () => {
    one.changes++;
    for (let writer = 0; writer < WRITERS; writer++) {
      const number = numberOf(sdk, writer);
      const before = one.seen[writer] ?? 0;
      if (number < before) {
        one.regressions++;
        console.log(`regression by ${transport}: writer ${writer} from ${before} to ${number}`);
      }
      one.seen[writer] = number;
    }
  };
  sdk.on('changed', look);
  look();
  return one;
}

/** The number of the last change of a writer that the SDK has. */
function numberOf(sdk: Unleash, writer: number): number {
  // The type of the package has no fields for strategies.
  const flag = sdk.getFeatureToggleDefinition(`writer-${writer}`) as unknown as Document | undefined;
  return Number(flag?.strategies[0]?.constraints[0]?.values[0] ?? 0);
}

async function write(writer: number): Promise<void> {
  const own = new pg.Client({ connectionString: url.href });
  await own.connect();
  while (isWriting) {
    const number = (written[writer] ?? 0) + 1;
    await own.query(
      'update feature_strategies set constraints = $1 where feature_name = $2 and environment = $3',
      [constraintsOf(number), `writer-${writer}`, ENVIRONMENT],
    );
    written[writer] = number;
    commits++;
    await sleep(100 + Math.random() * 400);
  }
  await own.end();
}

async function killServers(): Promise<void> {
  const until = performance.now() + Number(options.seconds) * 1_000;
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  let kills = 0;
  while (performance.now() < until) {
    await sleep(2_000 + Math.random() * 3_000);
    const at = randomInt(2);
    const victim = servers[at];
    if (victim === undefined) continue;
    process.kill(victim.pid, 'SIGKILL');
    kills++;
    await restart(at);
    stream();
  }
  isWriting = false;
  await Promise.all(writers);
  console.log(`${commits} changes, ${kills} kills, load ${loadavg()[0]?.toFixed(1)}`);
  await expectEqual('after the kills');
  if (written.some(number => number === 0)) problems.push('a writer wrote nothing');
}

/** After five failures in a minute, an SDK only polls. Its application calls this to stream again. */
function stream(): void {
  for (const { sdk, transport } of observed)
    if (transport === 'streaming') void sdk.setExperimentalMode('streaming');
}

/** The documents of the environment in the database, by name. */
async function documents(): Promise<Map<string, unknown>> {
  const { rows } = await client.query<{ name: string; document: string }>(
    'select name, document from sdk_features where environment = $1 and document is not null',
    [ENVIRONMENT],
  );
  return new Map(rows.map(row => [row.name, JSON.parse(row.document)]));
}

async function expectEqual(when: string): Promise<void> {
  const expected = await documents();
  const isEqual = ({ sdk }: Observed) => {
    const own = sdk.getFeatureToggleDefinitions();
    return own.length === expected.size && own.every(one => isDeepStrictEqual(one, expected.get(one.name)));
  };
  const started = performance.now();
  let different = observed;
  while (different.length > 0 && performance.now() - started < EQUAL_WITHIN_MS) {
    await sleep(100);
    stream();
    different = different.filter(one => !isEqual(one));
  }
  const ms = Math.round(performance.now() - started);
  console.log(
    `${when}: ${observed.length - different.length} of ${observed.length} SDKs equal to the database after ${ms} ms`,
  );
  if (different.length > 0) problems.push(`${when}: ${different.length} SDKs differ from the database`);
}

/** Like a restored backup: the same revisions with different documents. Only the epoch reveals it. */
async function raiseEpoch(): Promise<void> {
  for (const one of observed) one.seen.fill(0);
  await client.query(
    `update sdk_features set document = regexp_replace(document, '"values": ?\\["', '\\&1')
     where environment = $1 and name like 'writer-%'`,
    [ENVIRONMENT],
  );
  await client.query('update sdk_epoch set number = number + 1');
  await expectEqual('after a new epoch');
}

async function disconnectDatabase(token: string): Promise<void> {
  const statuses = new Map<number, number>();
  let isReading = true;
  const readers = servers.flatMap(server => [poll(server, token, false), poll(server, token, true)]);
  await sleep(1_000);
  proxy.freeze();
  await sleep(Number(options.outage) * 1_000);
  await client.query(
    `update feature_strategies set constraints = $1 where feature_name = 'writer-0' and environment = $2`,
    [constraintsOf(999_999), ENVIRONMENT],
  );
  proxy.thaw();
  const returned = performance.now();
  const arrivals = await Promise.all(observed.map(one => arrival(one, returned)));
  isReading = false;
  await Promise.all(readers);
  const total = [...statuses.values()].reduce((a, b) => a + b, 0);
  const failed = [...statuses].filter(([status]) => status !== 200 && status !== 304);
  const most = Math.max(...arrivals);
  console.log(`${options.outage} s without the database: ${total} reads, failed: ${JSON.stringify(failed)}`);
  const byTransport = (Object.keys(TRANSPORTS) as Transport[]).map(transport => {
    const own = arrivals.filter((_, at) => observed[at]?.transport === transport);
    return `${transport} ${percentile(own, 0.5).toFixed(0)} / ${percentile(own, 1).toFixed(0)}`;
  });
  console.log(`change after the return of the database, median / most, ms: ${byTransport.join(', ')}`);
  if (failed.length > 0) problems.push(`reads failed without the database: ${JSON.stringify(failed)}`);
  // An SDK that polls does so every POLL_MS.
  if (most > ARRIVES_WITHIN_MS + POLL_MS)
    problems.push(`a change arrived ${most.toFixed(0)} ms after the return of the database`);
  await expectEqual('after the outage');

  async function poll(server: Server, own: string, isConditional: boolean): Promise<void> {
    let etag = '';
    while (isReading) {
      const headers = {
        authorization: own,
        'unleash-client-spec': '5.2.0',
        ...(isConditional ? { 'if-none-match': etag } : {}),
      };
      const response = await fetch(`${server.url}/api/client/features`, { headers }).catch(() => undefined);
      await response?.arrayBuffer();
      etag = response?.headers.get('etag') ?? etag;
      statuses.set(response?.status ?? 0, (statuses.get(response?.status ?? 0) ?? 0) + 1);
      await sleep(20);
    }
  }
}

/** Milliseconds until the SDK has the change made during the outage. */
async function arrival({ sdk }: Observed, since: number): Promise<number> {
  while (numberOf(sdk, 0) !== 999_999) {
    if (performance.now() - since > EQUAL_WITHIN_MS) return Number.POSITIVE_INFINITY;
    await sleep(5);
  }
  return performance.now() - since;
}
