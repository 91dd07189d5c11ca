import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readOptions } from '../../server/src/platform/command-line.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { createDatabase, dropDatabase, urlOf } from '../../server/src/test/database.ts';
import { startServer } from '../server.ts';
import { fill } from './fill.ts';
import { ADMIN_TOKEN, type Instance, startUnleash, VERSIONS } from './instance.ts';

const IMPORT = fileURLToPath(new URL('../../server/scripts/import.ts', import.meta.url));
const KEY = Buffer.alloc(32, 5).toString('base64');
/** What an import writes, without times of the import itself and ids that a sequence gives. */
const STATE = `
  select kind, key, digest, array_to_string(problems, ',') from imported
  union all select 'feature', name, md5(concat(project, type, description, stale, archived_at)), '' from features
  union all select 'strategy', id::text, md5(concat(strategy_name, sort_order, parameters, constraints, variants)), '' from feature_strategies
  union all select 'event', id::text, md5(concat(created_at, type, created_by, data, pre_data, tags, project, environment, feature_name)), ''
    from events where id < 0
  union all select 'usage', concat(metric_features.name, ' ', metric_environments.name, ' ', variant, ' ', day), concat(yes, ' ', no), ''
    from metric_days join metric_features on metric_features.id = feature_id
    join metric_environments on metric_environments.id = environment_id
  union all select 'token', encode(hash, 'hex'), concat(type, environment, name, all_projects), '' from api_tokens where type <> 'admin'
  order by 1, 2`;

const options = readOptions({
  run: 'node bench/unleash/import.ts',
  does: 'Imports from a real Unleash server of each version, and proves that nothing changes for SDKs.',
  options: {
    version: { type: 'string', meaning: 'Only this version of Unleash' },
    kills: { type: 'string', default: '10', meaning: 'How often the import is killed and repeated' },
    follow: {
      type: 'string',
      default: '0',
      meaning: 'Minutes of 5 writes per second that --follow must keep up with',
    },
  },
});
const kills = Number(options.kills);
const followMinutes = Number(options.follow);
/** The lag that 95 % of the writes must not exceed. */
const MAX_LAG_MS = 3_000;
const WRITE_EVERY_MS = 200;
const versions = VERSIONS.filter(version => (options.version ?? version) === version);
let failures = 0;

for (const version of versions) {
  const instance = await startUnleash(version);
  try {
    await check(instance);
  } finally {
    await instance.stop();
  }
}
process.exitCode = failures > 0 ? 1 : 0;

function report(version: string, what: string, isRight: boolean, detail = ''): void {
  if (!isRight) failures++;
  console.log(`${version} ${isRight ? 'ok  ' : 'FAIL'} ${what}${isRight ? '' : `\n${detail}`}`);
}

async function check(instance: Instance): Promise<void> {
  const { version } = instance;
  const { tokens, skipped } = await fill(instance);
  console.log(`${version} filled; not possible by its API: ${skipped.length}`);
  const role = await makeReader(instance.databaseUrl);
  const from = withRole(instance.databaseUrl, role);
  const before = await query(instance.databaseUrl, 'select count(*), max(id) from events');
  const target = await makeTarget();
  const server = await startServer(new URL(target.url));
  try {
    const plan = await run(target.url, from, ['--accept', '--plan']);
    report(version, 'a plan writes nothing', (await stateOf(target.url)).includes('[]'), plan.output);
    const first = await run(target.url, from, ['--accept']);
    report(version, 'imports', first.output.includes('Imported in'), first.output);
    const second = await run(target.url, from, ['--accept']);
    report(version, 'a second run writes nothing', second.output.includes('Written: 0.'), second.output);
    const whole = await stateOf(target.url);
    await sleep(1_500);
    const urls = ['--unleash', instance.url, '--halyard', server.url];
    const verified = await run(target.url, from, urls, 'verify');
    report(version, 'both send the same to SDKs', verified.status === 0, verified.output);
    console.log(verified.output.replace(/^/gm, `${version}   `));
    const events = await query(target.url, 'select count(*) from events where id < 0');
    const eventsThere = await query(instance.databaseUrl, 'select count(*) from events');
    report(version, 'has all events', JSON.stringify(events) === JSON.stringify(eventsThere));
    await checkTokens(version, server.url, tokens);
    await checkPlanted(version, target.url, from, urls);
    await checkKills(version, from, whole);
    const after = await query(instance.databaseUrl, 'select count(*), max(id) from events');
    report(version, 'Unleash was not written to', JSON.stringify(before) === JSON.stringify(after));
    await checkApi(version, instance.url);
    if (followMinutes > 0) await checkFollow(instance, target.url, from);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
    await query(instance.databaseUrl, `drop owned by ${role}; drop role ${role}`);
  }
}

async function checkTokens(version: string, url: string, tokens: string[]): Promise<void> {
  const statusOf = async (path: string, token: string) =>
    (await fetch(url + path, { headers: { authorization: token } })).status;
  const sdk = tokens.filter(token => !token.startsWith('*:*.'));
  const statuses = await Promise.all(
    sdk.map(async token =>
      Math.min(await statusOf('/api/client/features', token), await statusOf('/api/frontend', token)),
    ),
  );
  report(
    version,
    `${sdk.length} tokens work`,
    statuses.every(status => status === 200),
    statuses.join(),
  );
  report(
    version,
    'a wrong token is rejected',
    (await statusOf('/api/client/features', `${sdk[0]}x`)) === 401,
  );
}

/** Imports through the API into an empty database, and verifies it. */
async function checkApi(version: string, url: string): Promise<void> {
  const target = await makeTarget();
  const server = await startServer(new URL(target.url));
  const asAdmin = ['--token', ADMIN_TOKEN];
  try {
    const first = await run(target.url, url, [...asAdmin, '--accept']);
    report(version, 'imports through the API', first.output.includes('Imported in'), first.output);
    const second = await run(target.url, url, [...asAdmin, '--accept']);
    report(version, 'a second run writes nothing', second.output.includes('Written: 0.'), second.output);
    await sleep(1_500);
    const urls = ['--unleash', url, '--halyard', server.url];
    const verified = await run(target.url, url, [...asAdmin, ...urls], 'verify');
    report(version, 'both send the same to SDKs', verified.status === 0, verified.output);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
  }
}

/** Each kind of difference is found and named. */
async function checkPlanted(version: string, target: string, from: string, urls: string[]): Promise<void> {
  const planted: [string, string, RegExp][] = [
    [
      'strategy order',
      `update feature_strategies set sort_order = 1 - sort_order where feature_name = 'checkout-v2' and environment = 'production' and sort_order < 2`,
      /checkout-v2: the order of its strategies/,
    ],
    [
      'weight',
      `update feature_environments set variants = jsonb_set(variants, '{0,weight}', '401') where feature_name = 'odd-weights' and environment = 'production'`,
      /odd-weights: its variants/,
    ],
    [
      'segment',
      `update segments set constraints = '[{"contextName":"userId","operator":"IN","values":["4"],"inverted":false,"caseInsensitive":false}]' where name = 'beta-users'`,
      /checkout-v2: segments of strategy 1/,
    ],
    [
      'context field of a constraint',
      `update feature_strategies set constraints = replace(constraints::text, '"age"', '"years"')::jsonb where feature_name = 'checkout-v2'`,
      /checkout-v2: constraints of strategy 1/,
    ],
    [
      'token scope',
      `update api_tokens set all_projects = false where name = 'client-production'`,
      /client-production: .*differences/,
    ],
  ];
  for (const [what, sql, expected] of planted) {
    await query(target, sql);
    await sleep(1_500);
    const { status, output } = await run(target, from, urls, 'verify');
    report(version, `verify finds another ${what}`, status === 1 && expected.test(output), output);
    const repaired = await run(target, from, ['--accept', '--overwrite']);
    if (!repaired.output.includes('Written: 1.')) console.log(`${version} repaired: ${repaired.output}`);
  }
}

/** Kills imports at random places, and finishes them. */
async function checkKills(version: string, from: string, whole: string): Promise<void> {
  const started = performance.now();
  const measured = await makeTarget();
  await run(measured.url, from, ['--accept']);
  const ms = performance.now() - started;
  await dropDatabase(measured.name);
  let equal = 0;
  for (let round = 0; round < kills; round++) {
    const target = await makeTarget();
    const child = start(target.url, from, ['--accept']);
    await sleep(Math.random() * ms);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await run(target.url, from, ['--accept']);
    if ((await stateOf(target.url)) === whole) equal++;
    await dropDatabase(target.name);
  }
  report(
    version,
    `${kills} imports that were killed and repeated are equal`,
    equal === kills,
    `${equal} of ${kills}`,
  );
}

/** Changes flags at Unleash while an import follows it, and measures how long each change takes to arrive. */
async function checkFollow({ version, url }: Instance, target: string, from: string): Promise<void> {
  const flags = ['checkout-v2', 'dark-mode', 'old-basket', 'no-strategy', 'parent-flag'];
  const child = start(target, from, ['--accept', '--follow']);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  while (!output.includes('Following')) await sleep(200);
  await sleep(5_000);
  const writtenAt: number[] = [];
  const arrived = flags.map(() => -1);
  const lags: number[] = [];
  const end = performance.now() + followMinutes * 60_000;
  const write = async () => {
    while (performance.now() < end) {
      const n = writtenAt.length;
      const next = sleep(WRITE_EVERY_MS);
      writtenAt.push(performance.now());
      const response = await fetch(`${url}/api/admin/projects/default/features/${flags[n % flags.length]}`, {
        method: 'PATCH',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify([{ op: 'replace', path: '/description', value: `write ${n}` }]),
      });
      if (!response.ok) throw new Error(`Unleash responded with ${response.status}`);
      writtenAt[n] = performance.now();
      await next;
    }
  };
  const client = new pg.Client({ connectionString: target });
  await client.connect();
  const look = async () => {
    const { rows } = await client.query('select name, description from features where name = any($1)', [
      flags,
    ]);
    const now = performance.now();
    for (const { name, description } of rows) {
      const at = flags.indexOf(name);
      const seen = Number(/^write (\d+)$/.exec(description)?.[1] ?? -1);
      for (
        let n = (arrived[at] ?? -1) < 0 ? at : (arrived[at] ?? 0) + flags.length;
        n <= seen;
        n += flags.length
      )
        lags.push(Math.max(0, now - (writtenAt[n] ?? now)));
      arrived[at] = Math.max(arrived[at] ?? -1, seen);
    }
  };
  const writing = write();
  while (performance.now() < end + 2 * MAX_LAG_MS) {
    await look();
    await sleep(100);
  }
  await writing;
  await client.end();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  lags.sort((a, b) => a - b);
  const p95 = Math.round(lags[Math.floor(lags.length * 0.95)] ?? Number.POSITIVE_INFINITY);
  report(
    version,
    `${writtenAt.length} writes arrive while it follows; lag p95 ${p95} ms, maximum ${Math.round(lags.at(-1) ?? 0)} ms`,
    lags.length === writtenAt.length && p95 <= MAX_LAG_MS,
    `arrived: ${lags.length}\n${output.slice(-2_000)}`,
  );
  const after = await run(target, from, ['--accept']);
  report(
    version,
    'nothing is left to import after it followed',
    after.output.includes('Written: 0.'),
    after.output,
  );
}

function start(target: string, from: string, options: string[], action?: string) {
  return spawn(
    process.execPath,
    [IMPORT, 'unleash', ...(action ? [action] : []), '--from', from, ...options],
    {
      env: { PATH: process.env.PATH, DATABASE_URL: target, HALYARD_SECRET_KEY: KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

async function run(target: string, from: string, options: string[], action?: string) {
  const child = start(target, from, options, action);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [status] = await once(child, 'close');
  return { status: status as number, output };
}

async function makeTarget(): Promise<{ name: string; url: string }> {
  const name = `halyard_import_${randomBytes(6).toString('hex')}`;
  await createDatabase(name);
  await migrate(urlOf(name), {});
  return { name, url: urlOf(name) };
}

async function stateOf(url: string): Promise<string> {
  const rows = await query(url, STATE);
  return rows.length === 0 ? '[]' : createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

async function query(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query(text);
    return [result].flat().flatMap(one => one.rows);
  } finally {
    await client.end();
  }
}

async function makeReader(url: string): Promise<string> {
  const role = `import_${randomBytes(6).toString('hex')}`;
  await query(url, `create role ${role} login; grant select on all tables in schema public to ${role}`);
  return role;
}

function withRole(url: string, role: string): string {
  const changed = new URL(url);
  changed.username = role;
  return changed.href;
}
