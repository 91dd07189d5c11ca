// Imports flags, tokens and people from a different product, or verifies such an import.

import { setFlagsFromString } from 'node:v8';
import { followUnleash } from '../src/importing/unleash/follow.ts';
import {
  isIncomplete,
  printable,
  type Report,
  reportLines,
  totalWritten,
} from '../src/importing/unleash/report.ts';
import { importUnleash, listLeftBehind, type Settings } from '../src/importing/unleash/run.ts';
import { openApiSource } from '../src/importing/unleash/source/api-source.ts';
import {
  closeSource,
  countRows,
  type DatabaseSource,
  openSource,
  type Source,
} from '../src/importing/unleash/source/source.ts';
import { verifyImport } from '../src/importing/unleash/verify/verify.ts';
import { readOptions, rejectOption, takeWords } from '../src/platform/command-line.ts';
import type { Config } from '../src/platform/config.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { keyringOf } from '../src/platform/secrets/seal.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { makeProgress } from './import-progress.ts';
import { importRules, isProduct } from './import-rules.ts';
import { runScript } from './run.ts';

// An import creates many objects that live only for one batch. By default, V8 would let its space for new objects grow to 100 MB,
// and the rest of the heap to a multiple of what is in use, before it frees them.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=60');

const SHOWN = 50;
const words = takeWords();
const [product, action] = words;
// These have their own options, and exit when they are done.
if (isProduct(product)) {
  await importRules(product, words.slice(1));
  process.exit();
}
const RUN = howToRun('import', ...(IS_PACKAGE ? ['unleash', action ?? ''] : []));

const options = readOptions({
  run: RUN,
  does: `Imports projects, flags, segments, API tokens, users, roles, groups, integrations, events and usage from the database of Unleash 4 to 8, or as much as possible from its API.
SDKs keep their tokens. The import only reads from Unleash. You can repeat it: a later run writes what has changed in Unleash since.
Exits with 1 if something was rejected or conflicts with existing data.

With verify after unleash, it compares what both servers send to SDKs for every token, and exits with 1 if they differ.`,
  options: {
    from: {
      type: 'string',
      meaning:
        'The database of Unleash: postgres://user:password@host:5432/unleash, or the URL of its server: https://unleash.example.com',
    },
    plan: { type: 'boolean', default: false, meaning: 'Print what an import would do, and write nothing' },
    accept: {
      type: 'boolean',
      default: false,
      meaning: 'Also import what validation rejects, if SDKs evaluate it the same way',
    },
    overwrite: {
      type: 'boolean',
      default: false,
      meaning: 'Replace what changed in Halyard, or existed there before, with what Unleash has',
    },
    follow: {
      type: 'boolean',
      default: false,
      meaning: 'Import again when something changes, until it is stopped',
    },
    unleash: { type: 'string', meaning: 'For verify: the URL of the Unleash server' },
    halyard: { type: 'string', meaning: 'For verify: the URL of this server. Default: HALYARD_PUBLIC_URL' },
    token: {
      type: 'string',
      multiple: true,
      meaning:
        'With a URL in --from: an admin token of Unleash. For verify: an additional token to compare; repeatable. Needed if Unleash stores only hashes',
    },
  },
  variables: describeVariables('DATABASE_URL', 'HALYARD_SECRET_KEY'),
});

if (product !== 'unleash')
  rejectOption(
    RUN,
    product === undefined
      ? 'Name the product: unleash, launchdarkly or flagsmith'
      : `Unknown product '${product.slice(0, 60)}'`,
  );
if (action !== undefined && action !== 'verify') rejectOption(RUN, `Unknown word '${action.slice(0, 60)}'`);
const { from, unleash } = options;
if (from === undefined) rejectOption(RUN, '--from is missing: the database of Unleash, or its URL');
const isApi = /^https?:\/\//.test(from);
if (!isApi && !/^postgres(ql)?:\/\//.test(from))
  rejectOption(RUN, '--from must begin with postgres:// or https://');
const [adminToken] = isApi ? (options.token ?? []) : [];
if (isApi && adminToken === undefined)
  rejectOption(RUN, '--token is missing: an admin token of Unleash, to read its API');
if (isApi && options.follow) rejectOption(RUN, '--follow needs the database of Unleash');
if (options.plan && options.follow) rejectOption(RUN, 'Use either --plan or --follow');

await runScript(process.env, async config => {
  const source = await (adminToken === undefined
    ? openSource(from)
    : openApiSource(from, adminToken, config.databaseUrl));
  try {
    if (action === 'verify') await verify(source, config);
    else await runImport(source, config);
  } finally {
    await closeSource(source);
  }
});

async function runImport(source: Source | DatabaseSource, config: Config): Promise<void> {
  const db = openDb({
    url: config.databaseUrl,
    name: 'import',
    poolSize: 2,
    onError: error => console.warn(error.message),
  });
  const settings: Settings = {
    keyring: keyringOf(config.secretKey, config.oldSecretKeys),
    targets: { allowed: config.allowedTargets, allowPrivate: config.allowPrivateTargets },
  };
  try {
    const started = performance.now();
    const { onProgress, clear } = await makeProgress(table => countRows(source, table));
    const report = await importUnleash(db, source, settings, { ...options, onlyChanged: false }, onProgress);
    clear();
    await print(report, source, (performance.now() - started) / 1000);
    if (options.follow && 'reopen' in source) await follow(db, source, settings);
  } finally {
    await db.destroy();
  }
}

async function print(report: Report, source: Source, seconds: number): Promise<void> {
  for (const line of reportLines(report, options.plan)) console.log(line);
  const leftBehind = await listLeftBehind(source);
  if (leftBehind.length > 0) console.log(`\nNot imported:\n  ${leftBehind.join('\n  ')}`);
  console.log(
    options.plan
      ? '\nThis is a plan. Nothing was written. Run it without --plan to import.'
      : `\nImported in ${seconds.toFixed(1)} s. Written: ${totalWritten(report).toLocaleString('en')}.`,
  );
  if (isIncomplete(report)) process.exitCode = 1;
}

async function follow(db: Db, source: DatabaseSource, settings: Settings): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());
  console.log('Following Unleash. Stop it with Ctrl+C.');
  await followUnleash(db, source, settings, { ...options, onlyChanged: true }, stopped.signal, {
    onRun: (report, ms) => {
      const written = [...report].flatMap(([kind, { created, updated, removed }]) =>
        created + updated + removed > 0 ? [`${kind} ${created + updated + removed}`] : [],
      );
      console.log(`${new Date().toISOString()} written: ${written.join(', ')} (${Math.round(ms)} ms)`);
    },
    onOutage: error =>
      console.log(`${new Date().toISOString()} ${printable(error.message)} Retrying for an hour.`),
  });
  console.log('Stopped.');
}

async function verify(source: Source, config: Config): Promise<void> {
  if (unleash === undefined) rejectOption(RUN, '--unleash is missing: the URL of the Unleash server');
  const halyard = options.halyard ?? config.publicUrl;
  const urls = { unleash, halyard, secrets: (options.token ?? []).slice(isApi ? 1 : 0) };
  const { results, withoutSecret } = await verifyImport(
    source,
    urls,
    ({ token, problems, features, evaluations }) => {
      const verdict =
        problems.length === 0
          ? 'equal'
          : `${problems.length} ${problems.length === 1 ? 'difference' : 'differences'}`;
      console.log(
        `${printable(token)}: ${features.toLocaleString('en')} flags, ${evaluations.toLocaleString('en')} evaluations, ${verdict}`,
      );
      for (const problem of problems.slice(0, SHOWN)) console.log(printable(`  ${problem}`));
      if (problems.length > SHOWN) console.log(`  … and ${problems.length - SHOWN} more`);
    },
  );
  if (withoutSecret > 0)
    console.log(
      `Tokens for which Unleash has only the hash: ${withoutSecret}. Pass them with --token to compare them.`,
    );
  const differing = results.filter(({ problems }) => problems.length > 0).length;
  if (differing > 0) process.exitCode = 1;
  console.log(
    differing === 0
      ? `Both servers send the same to SDKs. Tokens compared: ${results.length}.`
      : `Tokens with differences: ${differing} of ${results.length}.`,
  );
}
