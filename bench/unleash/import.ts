import { setTimeout as sleep } from 'node:timers/promises';
import { dropDatabase } from '../../server/src/test/database.ts';
import { readSettings } from '../campaign.ts';
import { startServer } from '../server.ts';
import { dropTemplate, dumpState, makeReader, makeTarget, query, runImport, withRole } from './command.ts';
import { fill } from './fill.ts';
import { checkFollow } from './follow.ts';
import { ADMIN_TOKEN, type Instance, startUnleash, VERSIONS } from './instance.ts';
import { killImports } from './kills.ts';

const settings = readSettings(
  'node bench/unleash/import.ts',
  'Imports from a real Unleash server of each version, and checks that nothing changes for SDKs.',
  {
    version: ['', 'Only this version of Unleash'],
    kills: [10, 'How many times to kill and repeat the import'],
    follow: [0, 'Minutes of 5 writes per second that --follow must keep up with'],
  },
);
const { kills, follow } = settings;
const versions = VERSIONS.filter(version => version.startsWith(settings.version));
/** Omits the events that Unleash records itself, for example when an SDK reports a new application. */
const EVENT_QUERY = `select count(*), max(id) from events where created_by <> 'unleash_system_user'`;
/** Kinds in the report whose counts grow while Unleash is running, because Unleash records its own events and usage. */
const GROWING_KINDS = ['events', 'last uses', 'usage per day'];
let failureCount = 0;

for (const version of versions) {
  const instance = await startUnleash(version);
  try {
    await check(instance);
  } finally {
    await instance.stop();
  }
}
await dropTemplate();
process.exitCode = failureCount > 0 ? 1 : 0;

function report(version: string, claim: string, hasPassed: boolean, detail = ''): void {
  if (!hasPassed) failureCount++;
  console.log(`${version} ${hasPassed ? 'ok  ' : 'FAIL'} ${claim}${hasPassed ? '' : `\n${detail}`}`);
}

async function check(instance: Instance): Promise<void> {
  const { version } = instance;
  const { tokens, personalTokens, alias, skippedParts } = await fill(instance);
  console.log(`${version} filled; not possible with its API: ${skippedParts.length}`);
  const role = await makeReader(instance.databaseUrl);
  const source = withRole(instance.databaseUrl, role);
  const eventsBefore = await query(instance.databaseUrl, EVENT_QUERY);
  const target = await makeTarget();
  const server = await startServer(new URL(target.url));
  try {
    const plan = await runImport(target.url, source, ['--accept', '--plan']);
    report(version, 'a plan writes nothing', (await dumpState(target.url)).includes('[]'), plan.output);
    await instance.whilePaused(async () => {
      const first = await runImport(target.url, source, ['--accept']);
      report(version, 'imports', first.output.includes('Imported in'), first.output);
      const second = await runImport(target.url, source, ['--accept']);
      report(version, 'a second run writes nothing', second.output.includes('Written: 0.'), second.output);
      const importedEvents = await query(target.url, 'select count(*) from events where id < 0');
      const unleashEvents = await query(instance.databaseUrl, 'select count(*) from events');
      report(version, 'has all events', JSON.stringify(importedEvents) === JSON.stringify(unleashEvents));
    });
    await sleep(1_500);
    if (alias !== undefined) await waitForAlias(instance.url, alias);
    const urls = ['--unleash', instance.url, '--halyard', server.url];
    const verification = await runImport(target.url, source, urls, 'verify');
    report(version, 'both serve the same flags to SDKs', isEqual(version, verification), verification.output);
    console.log(verification.output.replace(/^/gm, `${version}   `));
    if (alias !== undefined)
      report(
        version,
        "both serve the same flags to a token's alias",
        /\(alias\): [1-9].* equal/.test(verification.output),
        verification.output,
      );
    await checkTokens(version, server.url, [...tokens, ...(alias === undefined ? [] : [alias])]);
    await checkDifferences(version, target.url, source, urls);
    await instance.whilePaused(() => checkKills(version, source));
    const eventsAfter = await query(instance.databaseUrl, EVENT_QUERY);
    report(
      version,
      'Unleash was not written to',
      JSON.stringify(eventsBefore) === JSON.stringify(eventsAfter),
    );
    await checkApi(version, instance.url);
    if (follow > 0)
      await checkFollow(instance, target.url, source, follow, (...result) => report(version, ...result));
    if (personalTokens[0] !== undefined)
      await checkExport(instance, target.url, server.url, source, personalTokens[0]);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
    await query(instance.databaseUrl, `drop owned by ${role}; drop role ${role}`);
  }
}

/** Waits up to 7 minutes, because Unleash reloads its tokens once a minute and remembers an unknown token for five minutes. */
async function waitForAlias(url: string, token: string): Promise<void> {
  const deadline = Date.now() + 7 * 60_000;
  for (;;) {
    const { status } = await fetch(`${url}/api/client/features`, { headers: { authorization: token } });
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`Unleash responds with ${status} to the alias of a token`);
    await sleep(5_000);
  }
}

async function checkTokens(version: string, url: string, tokens: string[]): Promise<void> {
  const fetchStatus = async (path: string, token: string) =>
    (await fetch(url + path, { headers: { authorization: token } })).status;
  const sdkTokens = tokens.filter(token => !token.startsWith('*:*.'));
  const statuses = await Promise.all(
    sdkTokens.map(async token =>
      Math.min(await fetchStatus('/api/client/features', token), await fetchStatus('/api/frontend', token)),
    ),
  );
  report(
    version,
    `${sdkTokens.length} tokens work`,
    statuses.every(status => status === 200),
    statuses.join(),
  );
  report(
    version,
    'a wrong token is rejected',
    (await fetchStatus('/api/client/features', `${sdkTokens[0]}x`)) === 401,
  );
}

/** Unleash 4 hashes variants for browsers differently, so only those may differ. The output indents each difference. */
function isEqual(version: string, verification: { status: number | null; output: string }): boolean {
  if (verification.status === 0 || !version.startsWith('4.')) return verification.status === 0;
  const differences = verification.output.split('\n').filter(line => line.startsWith('  '));
  return differences.length > 0 && differences.every(line => line.includes('with an older hash'));
}

/** Imports through the API into an empty database, and verifies the result. */
async function checkApi(version: string, url: string): Promise<void> {
  const target = await makeTarget();
  const server = await startServer(new URL(target.url));
  const adminOptions = ['--token', ADMIN_TOKEN];
  try {
    const first = await runImport(target.url, url, [...adminOptions, '--accept']);
    report(version, 'imports through the API', first.output.includes('Imported in'), first.output);
    const second = await runImport(target.url, url, [...adminOptions, '--accept']);
    report(version, 'a second run writes nothing', second.output.includes('Written: 0.'), second.output);
    await sleep(1_500);
    const urls = ['--unleash', url, '--halyard', server.url];
    const verification = await runImport(target.url, url, [...adminOptions, ...urls], 'verify');
    report(version, 'both serve the same flags to SDKs', isEqual(version, verification), verification.output);
  } finally {
    await server.stop();
    await dropDatabase(target.name);
  }
}

/** Changes flags in Halyard, and applies the changes to Unleash with the requests that the export prints. */
async function checkExport(
  { version, url }: Instance,
  target: string,
  halyard: string,
  source: string,
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
  const { imports } = JSON.parse((await runImport(target, undefined, ['--json'], 'export')).stdout);
  const statuses: number[] = [];
  for (const body of imports)
    statuses.push((await post(`${url}/api/admin/features-batch/import`, personalToken, body)).status);
  if (statuses[0] === 404) return console.log(`${version} has no operation that imports flags`);
  // Unleash sends changes to SDKs a few seconds later.
  await sleep(30_000);
  const urls = ['--unleash', url, '--halyard', halyard];
  const verification = await runImport(target, source, urls, 'verify');
  report(
    version,
    'a change in Halyard can be exported to Unleash',
    statuses.length > 0 && statuses.every(status => status === 200) && verification.status === 0,
    `${statuses.join()}\n${verification.output}`,
  );
}

/** Creates a difference of each kind, and checks that `verify` names it and that an import repairs it. */
async function checkDifferences(
  version: string,
  target: string,
  source: string,
  urls: string[],
): Promise<void> {
  const differences: [string, string, RegExp][] = [
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
  for (const [item, sql, expected] of differences) {
    await query(target, sql);
    await sleep(1_500);
    const { status, output } = await runImport(target, source, urls, 'verify');
    report(version, `verify finds a different ${item}`, status === 1 && expected.test(output), output);
    const repair = await runImport(target, source, ['--accept', '--overwrite']);
    report(version, `an import repairs the ${item}`, countWritten(repair.output) === 1, repair.output);
  }
}

/** Counts the items that an import created, updated or removed, without those that Unleash itself keeps adding. */
function countWritten(output: string): number {
  const lines = output.matchAll(/^(\S.*?) +([\d,]+) +([\d,]+) +([\d,]+) +[\d,]+$/gm);
  return [...lines]
    .filter(([, kind = '']) => !GROWING_KINDS.includes(kind))
    .flatMap(([, , ...counts]) => counts)
    .reduce((sum, count) => sum + Number(count.replaceAll(',', '')), 0);
}

/** Kills imports at random moments while they write, and completes each of them with a second import. */
async function checkKills(version: string, source: string): Promise<void> {
  const { equal, partial } = await killImports(source, kills, (round, equal) =>
    console.log(`${version}   killed ${round}, equal ${equal}`),
  );
  report(
    version,
    `${kills} imports that were killed and repeated have the same result; ${partial} of them were killed halfway`,
    equal === kills,
    `${equal} of ${kills}`,
  );
}
