// Imports flags from a product that tries the rules of a flag in order until one matches.
import { readFile, writeFile } from 'node:fs/promises';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Finding } from '../src/flags/transfer/schema.ts';
import { findShapeProblem } from '../src/importing/reading/check-shape.ts';
import type { Flag } from '../src/importing/rules/model.ts';
import { type Plan, planImport } from '../src/importing/rules/plan.ts';
import { checkPlan, type Target, writePlan } from '../src/importing/rules/write.ts';
import { readOptions, rejectOption, rejectUnused } from '../src/platform/command-line.ts';
import type { Config } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { exitWith } from '../src/platform/start-errors.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { PRODUCTS, type Product, type ProductSource, parseFile } from './import-products.ts';
import { runOnMigrated } from './run.ts';

const MAX_BYTES = 200_000_000;
const MAX_SHOWN = 200;

/** Runs `import` for one of these products, with the remaining arguments. */
export async function importRules(product: Product, [file, extraArgument]: string[]): Promise<void> {
  const source: ProductSource = PRODUCTS[product];
  const run = howToRun('import', ...(IS_PACKAGE ? [product] : []));
  if (extraArgument !== undefined)
    rejectOption(run, `Unknown argument '${makePrintable(extraArgument.slice(0, 60))}'`);
  const options = readOptions({
    run,
    does: `Imports flags with their rules from ${source.name}, and nothing else: no tokens, people or history. If a rule has no equivalent in
Halyard, the flag stays disabled, and the command prints the reason. You can run it again at any time.

${source.help}`,
    options: {
      project: { type: 'string', default: 'default', meaning: 'The Halyard project that gets the flags' },
      environment: {
        type: 'string',
        multiple: true,
        meaning: source.hasOneEnvironment
          ? 'The Halyard environment that gets the flags'
          : 'An environment to import; can be repeated. Use theirs=ours if the names differ. Default: all',
      },
      plan: { type: 'boolean', default: false, meaning: 'Print what an import would do, and write nothing' },
      'freeze-partial': {
        type: 'boolean',
        default: false,
        meaning: 'Import flags that split users as disabled, because users move once between variations',
      },
      ...(source.api === undefined ? {} : describeFetchOptions(source.name, source.api)),
    },
    variables: describeVariables('DATABASE_URL'),
  }) as Options;
  const mapName = makeNameMap(options.environment, run);
  const flags = await readFlags(source, file, options, run);
  checkEnvironments(flags, options.environment, run);
  const plan = planImport(flags, { mapEnvironment: mapName, freezePartial: options['freeze-partial'] });
  await runOnMigrated(process.env, config => execute(plan, flags.length, source.name, options, config));
}

type Options = {
  project: string;
  environment?: string[];
  plan: boolean;
  'freeze-partial': boolean;
  token?: string;
  from?: string;
  'from-project'?: string;
  save?: string;
};

const FETCH_OPTIONS = ['token', 'from', 'from-project', 'save'];

const describeFetchOptions = (
  name: string,
  { token, url, needsProject }: NonNullable<ProductSource['api']>,
) => ({
  token: { type: 'string' as const, meaning: `Instead of a file: ${token}` },
  'from-project': {
    type: 'string' as const,
    meaning: needsProject
      ? `With --token: the key of the project in ${name}`
      : `With --token: the id of a project in ${name}. Default: all projects`,
  },
  from: { type: 'string' as const, meaning: `With --token: the URL. Default: ${url}` },
  save: { type: 'string' as const, meaning: 'With --token: also write what was read to this file' },
});

type NamePair = { theirs: string; ours: string };

const readNamePairs = (list: string[] = []): NamePair[] =>
  list.map(text => text.split('=', 2)).map(([theirs = '', ours = theirs]) => ({ theirs, ours }));

/** Returns a function that maps listed environments and omits others. Without a list, all environments keep their names. */
function makeNameMap(list: string[] | undefined, run: string): (environment: string) => string | undefined {
  if (list === undefined) return name => name;
  const pairs = readNamePairs(list);
  for (const side of ['theirs', 'ours'] as const) {
    const names = pairs.map(pair => pair[side]);
    const repeatedName = names.find((name, index) => names.indexOf(name) < index);
    if (repeatedName !== undefined) rejectOption(run, `--environment has "${repeatedName}" twice`);
  }
  const ourNames = new Map(pairs.map(({ theirs, ours }) => [theirs, ours]));
  return name => ourNames.get(name);
}

/** Rejects data without flags, and environments that the data does not have, because there would be nothing to import. */
function checkEnvironments(flags: Flag[], list: string[] | undefined, run: string): void {
  const names = new Set(flags.flatMap(flag => [...flag.environments.keys()]));
  if (flags.length === 0) rejectOption(run, 'The data has no flags, so there is nothing to import');
  const unknownPair = readNamePairs(list).find(({ theirs }) => !names.has(theirs));
  if (unknownPair !== undefined)
    rejectOption(
      run,
      `--environment ${makePrintable(unknownPair.theirs)} is not in the data, which has ${makePrintable([...names].join(', '))}`,
    );
}

async function readFlags(
  { name, format, schema, readFlags, hasOneEnvironment = false, api }: ProductSource,
  file: string | undefined,
  options: Options,
  run: string,
): Promise<Flag[]> {
  const [environment, ...others] = options.environment ?? [];
  if (hasOneEnvironment && (others.length > 0 || environment?.includes('=')))
    rejectOption(run, '--environment must be one name without =, because the file has a single environment');
  if (file !== undefined) {
    rejectUnused(run, options, FETCH_OPTIONS, 'is not used with a file');
    return readFlags(checkShape(await readData(file, format, run), schema, file, run), environment);
  }
  const { token, from: baseUrl = api?.url ?? '', 'from-project': project, save } = options;
  if (api === undefined) rejectOption(run, `Name the file with the ${name} flags`);
  if (token === undefined || (api.needsProject && project === undefined))
    rejectOption(run, `Name a file, or use --token${api.needsProject ? ' and --from-project' : ''}`);
  checkUrl(baseUrl, run);
  const response = await api.fetchData(baseUrl, token, project).catch(error => exitWith(error, undefined));
  if (save !== undefined) await writeFile(save, `${JSON.stringify(response, null, 2)}\n`, { mode: 0o600 });
  return readFlags(checkShape(response, schema, `The response of ${name}`, run), environment);
}

function checkUrl(text: string, run: string): void {
  const { protocol = '', username, password } = URL.parse(text) ?? {};
  if (!/^https?:$/.test(protocol)) rejectOption(run, '--from must be a URL that begins with https://');
  if (username || password)
    rejectOption(run, '--from must not contain a username or password. Pass the token with --token');
}

async function readData(file: string, format: ProductSource['format'], run: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => rejectOption(run, error.message));
  if (text.length > MAX_BYTES)
    rejectOption(run, `${file} has more than ${MAX_BYTES.toLocaleString('en')} bytes`);
  try {
    return await parseFile(text, format);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    rejectOption(run, makePrintable(`${file} is not ${format}: ${reason.replace(/[.:]$/, '')}`));
  }
}

function checkShape(data: unknown, schema: ProductSource['schema'], subject: string, run: string): unknown {
  const problem = findShapeProblem(data, schema);
  if (problem !== undefined) rejectOption(run, makePrintable(`${subject} cannot be imported: ${problem}`));
  return data;
}

async function execute(
  plan: Plan,
  flagCount: number,
  product: string,
  options: Options,
  config: Config,
): Promise<void> {
  const db = openDb({
    url: config.databaseUrl,
    name: 'import',
    poolSize: 2,
    onError: error => console.warn(error.message),
  });
  const target: Target = { project: options.project, product, limits: config.limits };
  try {
    const problems = (await checkPlan(db, plan, target)).map(describeProblem);
    if (problems.length > 0 && !options.plan)
      throw new StartError(['Nothing was written.', ...problems].join('\n'));
    if (!options.plan) await writePlan(db, plan, target);
    print(plan, flagCount, problems, options.plan);
  } catch (error) {
    // An ApiError means that the import violates one of the server's rules, and its message is meant for the user.
    throw error instanceof ApiError
      ? new StartError(error.details.map(({ message }) => message).join('\n'))
      : error;
  } finally {
    await db.destroy();
  }
}

const HINTS: Record<string, string> = {
  'does not have this environment':
    'Add it to the project, or choose a different one with --environment theirs=ours',
};

function describeProblem({ message, affectedItems }: Finding): string {
  const [, hint] = Object.entries(HINTS).find(([part]) => message.endsWith(part)) ?? [];
  return `${message}: ${affectedItems.join(', ')}.${hint === undefined ? '' : ` ${hint}.`}`;
}

function print(plan: Plan, flagCount: number, problems: string[], isPlan: boolean): void {
  console.log(
    `Flags: ${flagCount.toLocaleString('en')}. Segments: ${plan.segments.size.toLocaleString('en')}.`,
  );
  for (const [environment, { features, featureStrategies }] of plan.environments)
    console.log(
      `  ${environment}: ${formatCount(features, 'flag', 'flags')}, ${formatCount(featureStrategies, 'strategy', 'strategies')}`,
    );
  console.log(`Contexts compared with the source's rules: ${plan.contextCount.toLocaleString('en')}.`);
  printList('Disabled here, because something has no equivalent', plan.unsupported);
  printList('Different here', plan.notes);
  printList('To do before the import', problems);
  console.log(
    isPlan ? '\nThis is a plan. Nothing was written. Run it without --plan to import.' : '\nImported.',
  );
  if (plan.unsupported.length + problems.length > 0) process.exitCode = 1;
}

const formatCount = ({ length }: unknown[], singular: string, plural: string): string =>
  `${length.toLocaleString('en')} ${length === 1 ? singular : plural}`;

/** Replaces control characters, so that strings from the source cannot control the terminal. */
const makePrintable = (line: string): string => line.replace(/\p{Cc}/gu, ' ');

function printList(title: string, lines: string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines.slice(0, MAX_SHOWN)) console.log(`  ${makePrintable(line)}`);
  if (lines.length > MAX_SHOWN) console.log(`  … and ${lines.length - MAX_SHOWN} more`);
}
