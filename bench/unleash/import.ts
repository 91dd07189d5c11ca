import { setTimeout as sleep } from 'node:timers/promises';
import { dropDatabase } from '../../server/src/test/database.ts';
import { readSettings } from '../campaign.ts';
import { startServer } from '../server.ts';
import { dropTemplate, makeReader, makeTarget, query, run, stateOf, withRole } from './command.ts';
import { fill } from './fill.ts';
import { checkFollow } from './follow.ts';
import { ADMIN_TOKEN, type Instance, startUnleash, VERSIONS } from './instance.ts';
import { killImports } from './kills.ts';

const settings = readSettings(
  'node bench/unleash/import.ts',
  'Imports from a real Unleash server of each version, and proves that nothing changes for SDKs.',
  {
    version: ['', 'Only this version of Unleash'],
    kills: [10, 'How many times the import is killed and repeated'],
    follow: [0, 'Minutes of 5 writes per second that --follow must keep up with'],
  },
);
const { kills, follow } = settings;
const versions = VERSIONS.filter(version => version.startsWith(settings.version));
/** Leaves out the events that Unleash records itself, for example when an SDK reports a new application. */
const EVENTS_OF_OTHERS = `select count(*), max(id) from events where created_by <> 'unleash_system_user'`;
/** Lines of the report that grow while Unleash is running, because it records events and uses itself. */
const GROWING = ['events', 'last uses', 'usage per day'];
let failures = 0;

for (const version of versions) {
  const instance = await startUnleash(version);
  try {
    await check(instance);
  } finally {
    await instance.stop();
  }
}
await dropTemplate();
process.exitCode = failures > 0 ? 1 : 0;

function report(version: string, what: string, isRight: boolean, detail = ''): void {
  if (!isRight) failures++;
  console.log(`${version} ${isRight ? 'ok  ' : 'FAIL'} ${what}${isRight ? '' : `\n${detail}`}`);
}

async function check(instance: Instance): Promise<void> {
  const { version } = instance;
  const { tokens, personalTokens, alias, skipped } = await fill(instance);
  console.log(`${version} filled; not possible with its API: ${skipped.length}`);
  const role = await makeReader(instance.databaseUrl);
  const from = withRole(instance.databaseUrl, role);
  const before = await query(instance.databaseUrl, EVENTS_OF_OTHERS);
  const target = await makeTarget();
  const server = await startServer(new URL(target.url));
  try {
    const plan = await run(target.url, from, ['--accept', '--plan']);
    report(version, 'a plan writes nothing', (await stateOf(target.url)).includes('[]'), plan.output);
    await instance.whilePaused(async () => {
      const first = await run(target.url, from, ['--accept']);
      report(version, 'imports', first.output.includes('Imported in'), first.output);
      const second = await run(target.url, from, ['--accept']);
      report(version, 'a second run writes nothing', second.output.includes('Written: 0.'), second.output);
      const events = await query(target.url, 'select count(*) from events where id < 0');
      const eventsThere = await query(instance.databaseUrl, 'select count(*) from events');
      report(version, 'has all events', JSON.stringify(events) === JSON.stringify(eventsThere));
    });
    await sleep(1_500);
    if (alias !== undefined) await untilKnown(instance.url, alias);
    const urls = ['--unleash', instance.url, '--halyard', server.url];
    const verified = await run(target.url, from, urls, 'verify');
    report(version, 'both send the same to SDKs', isEqual(version, verified), verified.output);
    console.log(verified.output.replace(/^/gm, `${version}   `));
    if (alias !== undefined)
      report(
        version,
        'the alias of a token gets the same from both',
        /\(alias\): [1-9].* equal/.test(verified.output),
        verified.output,
      );
    await checkTokens(version, server.url, [...tokens, ...(alias === undefined ? [] : [alias])]);
    await checkPlanted(version, target.url, from, urls);
    await instance.whilePaused(() => checkKills(version, from));
    const after = await query(instance.databaseUrl, EVENTS_OF_OTHERS);
    report(version, 'Unleash was not written to', JSON.stringify(before) === JSON.stringify(after));
    await checkApi(version, instance.url);
    if (follow > 0)
      await checkFollow(instance, target.url, from, follow, (...result) => report(version, ...result));
    if (personalTokens[0] !== undefined)
      await checkWayBack(instance, target.url, server.url, from, personalTokens[0]);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
    await query(instance.databaseUrl, `drop owned by ${role}; drop role ${role}`);
  }
}

/** Unleash reloads its tokens once a minute, and remembers an unknown token for five minutes. */
async function untilKnown(url: string, token: string): Promise<void> {
  const end = Date.now() + 7 * 60_000;
  for (;;) {
    const { status } = await fetch(`${url}/api/client/features`, { headers: { authorization: token } });
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`Unleash responds with ${status} to the alias of a token`);
    await sleep(5_000);
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

/** Unleash 4 has an older hash for the variants of browsers, so it may differ in these. Each difference is an indented line. */
function isEqual(version: string, verified: { status: number | null; output: string }): boolean {
  if (verified.status === 0 || !version.startsWith('4.')) return verified.status === 0;
  const differences = verified.output.split('\n').filter(line => line.startsWith('  '));
  return differences.length > 0 && differences.every(line => line.includes('with an older hash'));
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
    report(version, 'both send the same to SDKs', isEqual(version, verified), verified.output);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
  }
}

/** Changes flags in Halyard, and applies the changes to Unleash with the requests that the export prints. */
async function checkWayBack(
  { version, url }: Instance,
  target: string,
  halyard: string,
  from: string,
  personalToken: string,
): Promise<void> {
  const post = (target: string, token: string, body: object) =>
    fetch(target, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const flags = `${halyard}/api/admin/projects/default/features`;
  await post(flags, ADMIN_TOKEN, { name: 'gift-cards', type: 'release' });
  for (const [flag, environment] of [
    ['gift-cards', 'production'],
    ['old-basket', 'development'],
  ])
    await post(`${flags}/${flag}/environments/${environment}/on`, ADMIN_TOKEN, {});
  const { imports } = JSON.parse((await run(target, undefined, ['--json'], 'export')).stdout);
  const statuses: number[] = [];
  for (const body of imports)
    statuses.push((await post(`${url}/api/admin/features-batch/import`, personalToken, body)).status);
  if (statuses[0] === 404) return console.log(`${version} has no operation that imports flags`);
  // Unleash sends changes to SDKs a few seconds later.
  await sleep(30_000);
  const urls = ['--unleash', url, '--halyard', halyard];
  const verified = await run(target, from, urls, 'verify');
  report(
    version,
    'a change in Halyard can be brought to Unleash',
    statuses.length > 0 && statuses.every(status => status === 200) && verified.status === 0,
    `${statuses.join()}\n${verified.output}`,
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
      /client-production: .*differences?/,
    ],
  ];
  for (const [what, sql, expected] of planted) {
    await query(target, sql);
    await sleep(1_500);
    const { status, output } = await run(target, from, urls, 'verify');
    report(version, `verify finds a different ${what}`, status === 1 && expected.test(output), output);
    const repaired = await run(target, from, ['--accept', '--overwrite']);
    report(version, `an import repairs the ${what}`, writtenOf(repaired.output) === 1, repaired.output);
  }
}

/** How many items an import created, updated or removed, without what Unleash itself adds all the time. */
function writtenOf(output: string): number {
  const lines = output.matchAll(/^(\S.*?) +([\d,]+) +([\d,]+) +([\d,]+) +[\d,]+$/gm);
  return [...lines]
    .filter(([, kind = '']) => !GROWING.includes(kind))
    .flatMap(([, , ...counts]) => counts)
    .reduce((sum, count) => sum + Number(count.replaceAll(',', '')), 0);
}

/** Kills imports while they write, at random places, and finishes them. */
async function checkKills(version: string, from: string): Promise<void> {
  const { equal, partial } = await killImports(from, kills, (round, equal) =>
    console.log(`${version}   killed ${round}, equal ${equal}`),
  );
  report(
    version,
    `${kills} imports that were killed and repeated have the same result; ${partial} had been killed halfway`,
    equal === kills,
    `${equal} of ${kills}`,
  );
}
