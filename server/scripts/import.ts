// Imports flags, tokens and people from another product, or verifies an import.

import { setFlagsFromString } from 'node:v8';
import { followUnleash } from '../src/importing/unleash/follow.ts';
import {
  countWritten,
  formatReport,
  isIncomplete,
  listConflicts,
  makePrintable,
  type Report,
} from '../src/importing/unleash/report.ts';
import { importUnleash, listUnsupported, type Settings } from '../src/importing/unleash/run.ts';
import { openApiSource } from '../src/importing/unleash/source/api-source.ts';
import {
  closeSource,
  countRows,
  type DatabaseSource,
  openSource,
  type Source,
} from '../src/importing/unleash/source/source.ts';
import { describeDifferences } from '../src/importing/unleash/verify/group.ts';
import { verifyImport } from '../src/importing/unleash/verify/verify.ts';
import { readOptions, rejectOption, rejectUnused, takePositionals } from '../src/platform/command-line.ts';
import type { Config } from '../src/platform/config.ts';
import { type Db, openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { makeKeyring } from '../src/platform/secrets/seal.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { isProduct, PRODUCTS } from './import-products.ts';
import { makeProgress } from './import-progress.ts';
import { importRules } from './import-rules.ts';
import { runOnMigrated } from './run.ts';

// An import creates many objects that live only for one batch. By default, V8 would let the space for new objects grow to
// 100 MB, and the rest of the heap to a multiple of what is in use, before it collects garbage.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=60');

const MAX_SHOWN = 200;
const MAX_NAMES = 20;
const formatList = (names: string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
const OTHER_PRODUCTS = formatList(Object.keys(PRODUCTS));
const positionals = takePositionals();
const [product, action] = positionals;
// These commands have their own options, and exit when they are done.
if (isProduct(product)) {
  await importRules(product, positionals.slice(1));
  process.exit();
}
const RUN = howToRun('import', ...(IS_PACKAGE ? ['unleash', ...(action === 'verify' ? [action] : [])] : []));
/** Does not repeat a URL that was passed without an option, because it may contain a password. */
const describeUnknown = (kind: string, word: string): string =>
  word.includes('://')
    ? 'Pass the URL of Unleash with --from, after the word unleash'
    : `Unknown ${kind} '${makePrintable(word.slice(0, 60))}'`;

const PAGE = 'docs/how-to/move-from-unleash.md';
const IMPORT_HELP = {
  does: `Imports projects, flags, segments, API tokens, users, roles, groups, integrations, events and usage from an Unleash database, versions 4 to 8, or as much as possible from its API.
SDKs keep their tokens. From the database, it only reads. You can repeat it: a later run writes what has changed in Unleash since.
Exits with 1 if something was rejected or conflicts with existing data, with --plan too, and with 2 for wrong options.

halyard import unleash verify compares both servers.

To import from a different product, name it instead of unleash: ${OTHER_PRODUCTS}. Each has its own --help.`,
  listed: ['from', 'plan', 'accept', 'overwrite', 'follow', 'token'],
} as const;
const VERIFY_HELP = {
  does: `Compares what Unleash and Halyard send to SDKs, for every SDK token of Unleash, and what no token covers.
Exits with 1 if they differ or nothing was compared, and with 2 for wrong options.`,
  listed: ['from', 'unleash', 'halyard', 'token'],
} as const;

const options = readOptions({
  run: RUN,
  page: PAGE,
  ...(action === 'verify' ? VERIFY_HELP : IMPORT_HELP),
  options: {
    from: {
      type: 'string',
      meaning:
        "Unleash's database, as postgres://user:password@host:5432/unleash, or its URL, as https://unleash.example.com",
    },
    plan: { type: 'boolean', default: false, meaning: 'Print what an import would do, and write nothing' },
    accept: {
      type: 'boolean',
      default: false,
      meaning: "Also import flags that break Halyard's rules, unchanged",
    },
    overwrite: {
      type: 'boolean',
      default: false,
      meaning: 'Unleash wins every conflict; flags that exist only in Halyard stay',
    },
    follow: {
      type: 'boolean',
      default: false,
      meaning: 'Import again when something changes, until it is stopped',
    },
    unleash: { type: 'string', meaning: 'The URL of the Unleash server' },
    halyard: { type: 'string', meaning: 'The URL of the Halyard server. Default: HALYARD_PUBLIC_URL' },
    token: {
      type: 'string',
      multiple: true,
      meaning:
        action === 'verify'
          ? 'An additional token to compare; repeatable. Needed if Unleash stores only hashes. With a URL in --from, the first one is an admin token of Unleash'
          : 'With a URL in --from: an admin token of Unleash',
    },
  },
  variables: describeVariables('DATABASE_URL', 'HALYARD_SECRET_KEY'),
});

if (product !== 'unleash')
  rejectOption(
    RUN,
    product === undefined
      ? `Name the product: ${formatList(['unleash', ...Object.keys(PRODUCTS)])}`
      : describeUnknown('product', product),
  );
if (action !== undefined && action !== 'verify') rejectOption(RUN, describeUnknown('argument', action));
const isVerify = action === 'verify';
if (isVerify)
  rejectUnused(
    RUN,
    options,
    ['plan', 'accept', 'overwrite', 'follow'],
    'belongs to import unleash. verify writes nothing',
  );
else rejectUnused(RUN, options, ['unleash', 'halyard'], 'belongs to import unleash verify');
const { from: sourceUrl, unleash } = options;
if (sourceUrl === undefined)
  rejectOption(RUN, "--from is missing: the connection string of Unleash's database, or the URL of Unleash");
const isApi = /^https?:\/\//.test(sourceUrl);
if (!isApi && !/^postgres(ql)?:\/\//.test(sourceUrl))
  rejectOption(RUN, '--from must begin with postgres:// or https://');
if (isApi && !URL.canParse(sourceUrl)) rejectOption(RUN, '--from is not a valid URL');
const [adminToken] = isApi ? (options.token ?? []) : [];
if (isApi && !adminToken)
  rejectOption(RUN, '--token is missing or empty: an admin token of Unleash, to read its API');
if (!isVerify && !isApi)
  rejectUnused(
    RUN,
    options,
    ['token'],
    'belongs to import unleash verify, or to a URL such as https:// in --from',
  );
if (!isVerify && (options.token ?? []).length > 1)
  rejectOption(RUN, '--token can be passed only once, except for import unleash verify');
for (const name of ['unleash', 'halyard'] as const)
  if (options[name] !== undefined && !/^https?:$/.test(URL.parse(options[name])?.protocol ?? ''))
    rejectOption(RUN, `--${name} must be a URL such as https://${name}.example.com`);
for (const name of ['from', 'unleash', 'halyard'] as const) {
  const { protocol, username, password } = URL.parse(options[name] ?? '') ?? {};
  if (/^https?:$/.test(protocol ?? '') && (username || password))
    rejectOption(RUN, `--${name} must not contain a username or password. Pass tokens with --token`);
}
if (options.token?.some(token => /[\r\n\0]/.test(token))) rejectOption(RUN, '--token must be one line');
if (isApi && options.follow) rejectOption(RUN, "--follow needs Unleash's database");
if (options.plan && options.follow) rejectOption(RUN, 'Use either --plan or --follow');

await runOnMigrated(process.env, async config => {
  const source = await (adminToken === undefined
    ? openSource(sourceUrl)
    : openApiSource(sourceUrl, adminToken, config.databaseUrl));
  try {
    if (isVerify) await verify(source, config);
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
    onError: error => console.warn(`Lost a connection to the Halyard database: ${error.message}`),
  });
  const settings: Settings = {
    keyring: makeKeyring(config.secretKey, config.oldSecretKeys),
    targets: { allowed: config.allowedTargets, allowPrivate: config.allowPrivateTargets },
  };
  try {
    const startedAt = performance.now();
    const { onProgress, clear } = await makeProgress(table => countRows(source, table));
    const report = await importUnleash(db, source, settings, { ...options, onlyChanged: false }, onProgress);
    clear();
    await print(report, source, (performance.now() - startedAt) / 1000);
    if (options.follow && 'reopen' in source) await follow(db, source, settings, listConflicts(report));
  } finally {
    await db.destroy();
  }
}

async function print(report: Report, source: Source, seconds: number): Promise<void> {
  for (const line of formatReport(report, options.plan)) console.log(line);
  const notImported = await listUnsupported(source);
  if (notImported.length > 0) console.log(`\nNot imported:\n  ${notImported.join('\n  ')}`);
  console.log(
    options.plan
      ? '\nThis is a plan. Nothing was written. Run it without --plan to import.'
      : `\nImported in ${seconds.toFixed(1)} s. Written: ${countWritten(report).toLocaleString('en')}.`,
  );
  if (isIncomplete(report)) process.exitCode = 1;
}

async function follow(
  db: Db,
  source: DatabaseSource,
  settings: Settings,
  knownConflicts: string[],
): Promise<void> {
  const stopController = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopController.abort());
  console.log('Following Unleash. Stop it with Ctrl+C.');
  const printLine = (text: string) => console.log(`${new Date().toISOString()} ${text}`);
  const callbacks = {
    onRun: (report: Report, ms: number) => {
      const writtenCounts = [...report].flatMap(([kind, { created, updated, removed }]) =>
        created + updated + removed > 0 ? [`${kind} ${created + updated + removed}`] : [],
      );
      printLine(`written: ${writtenCounts.join(', ')} (${Math.round(ms)} ms)`);
    },
    onConflict: (conflict: string) => printLine(`conflict, kept as it is in Halyard: ${conflict}`),
    onOutage: (error: Error) => printLine(`${makePrintable(error.message)} Retrying for an hour.`),
  };
  const followOptions = { ...options, onlyChanged: true };
  await followUnleash(db, source, settings, followOptions, stopController.signal, callbacks, knownConflicts);
  console.log('Stopped.');
}

function printDifferences(lines: string[]): void {
  if (lines.length === 0) return;
  console.log(`\nDifferences: ${lines.length.toLocaleString('en')}`);
  for (const line of lines.slice(0, MAX_SHOWN)) console.log(makePrintable(`  ${line}`));
  if (lines.length > MAX_SHOWN)
    console.log(`  … and ${(lines.length - MAX_SHOWN).toLocaleString('en')} more`);
  console.log();
}

function printUncovered(title: string, names: string[]): void {
  if (names.length === 0) return;
  const more = names.length > MAX_NAMES ? ` and ${(names.length - MAX_NAMES).toLocaleString('en')} more` : '';
  console.log(makePrintable(`${title}: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`));
}

async function verify(source: Source, config: Config): Promise<void> {
  if (unleash === undefined) rejectOption(RUN, '--unleash is missing: the URL of the Unleash server');
  const halyard = options.halyard ?? config.publicUrl;
  if (new URL(unleash).href === new URL(halyard).href)
    rejectOption(
      RUN,
      `Both servers have the URL ${makePrintable(unleash)}. Pass the URL of the Halyard server with --halyard`,
    );
  const urls = { unleash, halyard, secrets: (options.token ?? []).slice(isApi ? 1 : 0) };
  const { results, withoutSecret, uncovered } = await verifyImport(
    source,
    urls,
    ({ token, problems, features, evaluations, rejectedWith }) => {
      const verdict =
        problems.length === 0
          ? 'equal'
          : `${problems.length} ${problems.length === 1 ? 'difference' : 'differences'}`;
      console.log(
        rejectedWith === undefined
          ? `${makePrintable(token)}: ${features.toLocaleString('en')} ${features === 1 ? 'flag' : 'flags'}, ${evaluations.toLocaleString('en')} evaluations, ${verdict}`
          : `${makePrintable(token)}: both servers reject this token with ${rejectedWith}`,
      );
    },
  );
  printDifferences(describeDifferences(results));
  if (withoutSecret > 0)
    console.log(
      `Tokens for which Unleash has only the hash: ${withoutSecret}. Pass them with --token to compare them.`,
    );
  printUncovered('Not compared, because no client or backend token covers it', uncovered.environments);
  printUncovered('Segments not compared, because no compared flag uses them', uncovered.segments);
  const comparedTokens = results.filter(({ rejectedWith }) => rejectedWith === undefined).length;
  const differingTokens = results.filter(({ problems }) => problems.length > 0).length;
  if (differingTokens > 0 || comparedTokens === 0) process.exitCode = 1;
  if (comparedTokens === 0)
    console.log('No flags were compared. Pass a client token that Unleash accepts with --token.');
  else
    console.log(
      differingTokens === 0
        ? `Both servers send the same flags to SDKs. Tokens compared: ${comparedTokens}.`
        : `Tokens with differences: ${differingTokens} of ${comparedTokens}.`,
    );
}
