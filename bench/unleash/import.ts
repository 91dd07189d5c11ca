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
import { type Instance, startUnleash, VERSIONS } from './instance.ts';

const IMPORT = fileURLToPath(new URL('../../server/scripts/import.ts', import.meta.url));
const KEY = Buffer.alloc(32, 5).toString('base64');
/** What an import writes, without times of the import itself and ids that a sequence gives. */
const STATE = `
  select kind, key, digest, array_to_string(problems, ',') from imported
  union all select 'feature', name, md5(concat(project, type, description, stale, archived_at)), '' from features
  union all select 'strategy', id::text, md5(concat(strategy_name, sort_order, parameters, constraints, variants)), '' from feature_strategies
  union all select 'token', encode(hash, 'hex'), concat(type, environment, name, all_projects), '' from api_tokens where type <> 'admin'
  order by 1, 2`;

const options = readOptions({
  run: 'node bench/unleash/import.ts',
  does: 'Imports from a real Unleash server of each version, and proves that nothing changes for SDKs.',
  options: {
    version: { type: 'string', meaning: 'Only this version of Unleash' },
    kills: { type: 'string', default: '10', meaning: 'How often the import is killed and repeated' },
  },
});
const kills = Number(options.kills);
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
    await checkTokens(version, server.url, tokens);
    await checkPlanted(version, target.url, from, urls);
    await checkKills(version, from, whole);
    const after = await query(instance.databaseUrl, 'select count(*), max(id) from events');
    report(version, 'Unleash was not written to', JSON.stringify(before) === JSON.stringify(after));
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
