// Imports flags from a product whose rules are tried in order until one matches.
import { readFile, writeFile } from 'node:fs/promises';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ApiError } from '../../plane/src/platform/errors.ts';
import type { Finding } from '../src/flags/transfer/schema.ts';
import { readFlagsmith } from '../src/importing/flagsmith/read.ts';
import { EnvironmentDocument } from '../src/importing/flagsmith/schema.ts';
import { fetchLaunchDarkly } from '../src/importing/launchdarkly/fetch.ts';
import { readLaunchDarkly } from '../src/importing/launchdarkly/read.ts';
import { Project } from '../src/importing/launchdarkly/schema.ts';
import type { Flag } from '../src/importing/rules/model.ts';
import { type Plan, planImport } from '../src/importing/rules/plan.ts';
import { checkPlan, type Target, writePlan } from '../src/importing/rules/write.ts';
import { readOptions, rejectOption } from '../src/platform/command-line.ts';
import type { Config } from '../src/platform/config.ts';
import { openDb } from '../src/platform/db/database.ts';
import { howToRun, IS_PACKAGE } from '../src/platform/files.ts';
import { StartError } from '../src/platform/start-error.ts';
import { exitWith } from '../src/platform/start-errors.ts';
import { describeVariables } from '../src/platform/variables.ts';
import { runScript } from './run.ts';

const PRODUCTS = { launchdarkly: 'LaunchDarkly', flagsmith: 'Flagsmith' } as const;
export type Product = keyof typeof PRODUCTS;
export const isProduct = (name: string | undefined): name is Product => Object.hasOwn(PRODUCTS, name ?? '');

const MAX_BYTES = 200_000_000;
const SHOWN = 200;

/** The command `import launchdarkly` or `import flagsmith`, with the arguments that follow. */
export async function importRules(product: Product, [file]: string[]): Promise<void> {
  const run = howToRun('import', ...(IS_PACKAGE ? [product] : []));
  const options = readOptions({
    run,
    does: `Imports flags with their rules from ${PRODUCTS[product]}, and nothing else: no tokens, people or history. It prints what has no
equivalent here, with the flag and the reason; such a flag stays disabled. It can be repeated.

${SOURCES[product]}`,
    options: {
      project: { type: 'string', default: 'default', meaning: 'The project here that gets the flags' },
      environment: {
        type: 'string',
        multiple: true,
        meaning:
          'An environment to import; can be repeated. Use theirs=ours if the names differ. Default: all',
      },
      plan: { type: 'boolean', default: false, meaning: 'Print what an import would do, and write nothing' },
      'freeze-partial': {
        type: 'boolean',
        default: false,
        meaning: 'Import flags that split users as disabled, because users move once between variations',
      },
      ...(product === 'launchdarkly' ? FETCH_OPTIONS : {}),
    },
    variables: describeVariables('DATABASE_URL'),
  }) as Options;
  const flags = await readFlags(product, file, options, run);
  const plan = planImport(flags, {
    names: namesOf(options.environment),
    freezePartial: options['freeze-partial'],
  });
  await runScript(process.env, config => execute(plan, flags.length, product, options, config));
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

const FETCH_OPTIONS = {
  token: { type: 'string', meaning: 'Instead of a file: an access token with the role Reader' },
  'from-project': { type: 'string', meaning: 'With --token: the key of the project in LaunchDarkly' },
  from: { type: 'string', default: 'https://app.launchdarkly.com', meaning: 'With --token: the address' },
  save: { type: 'string', meaning: 'With --token: also write what was read to this file' },
} as const;

const SOURCES: Record<Product, string> = {
  launchdarkly: 'Name a file that --save wrote, or use --token and --from-project.',
  flagsmith: `Name a file with an environment document and, with --environment, the environment here:
curl -H "X-Environment-Key: ser.…" https://edge.api.flagsmith.com/api/v1/environment-document/ > flags.json`,
};

/** Environments that are not listed are not imported. Without a list, all are, under their own names. */
function namesOf(list: string[] | undefined): (environment: string) => string | undefined {
  if (list === undefined) return name => name;
  const pairs = new Map(
    list.map(one => one.split('=', 2)).map(([there = '', here = there]) => [there, here]),
  );
  return name => pairs.get(name);
}

async function readFlags(
  product: Product,
  file: string | undefined,
  options: Options,
  run: string,
): Promise<Flag[]> {
  if (product === 'flagsmith') {
    if (file === undefined) rejectOption(run, 'Name the file with the environment document');
    const document = await readJson<EnvironmentDocument>(file, EnvironmentDocument, run);
    const environment = options.environment?.[0] ?? document.name?.toLowerCase() ?? 'production';
    return readFlagsmith(document, environment);
  }
  if (file !== undefined) return readLaunchDarkly(await readJson<Project>(file, Project, run));
  const { token, from = '', 'from-project': project, save } = options;
  if (token === undefined || project === undefined)
    rejectOption(run, 'Name a file, or use --token and --from-project');
  const fetched = await fetchLaunchDarkly(from, token, project).catch(error => exitWith(error, undefined));
  if (save !== undefined) await writeFile(save, `${JSON.stringify(fetched, null, 2)}\n`, { mode: 0o600 });
  return readLaunchDarkly(checkShape(fetched, Project, 'The response of LaunchDarkly', run));
}

async function readJson<T>(file: string, schema: TSchema & { static?: T }, run: string): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error: Error) => rejectOption(run, error.message));
  if (text.length > MAX_BYTES) rejectOption(run, `${file} has more than ${MAX_BYTES} bytes`);
  try {
    return checkShape(JSON.parse(text) as T, schema, file, run);
  } catch (error) {
    rejectOption(run, `${file} is not JSON: ${(error as Error).message}`);
  }
}

function checkShape<T>(value: T, schema: TSchema, what: string, run: string): T {
  const [problem] = Value.Errors(schema, value);
  if (problem)
    rejectOption(run, `${what} is not what was expected: ${problem.instancePath || '/'} ${problem.message}`);
  return value;
}

async function execute(
  plan: Plan,
  flags: number,
  product: Product,
  options: Options,
  config: Config,
): Promise<void> {
  const db = openDb({
    url: config.databaseUrl,
    name: 'import',
    poolSize: 2,
    onError: error => console.warn(error.message),
  });
  const target: Target = { project: options.project, product: PRODUCTS[product], limits: config.limits };
  try {
    const problems = (await checkPlan(db, plan, target)).map(describeProblem);
    if (problems.length > 0 && !options.plan)
      throw new StartError(['Nothing was written.', ...problems].join('\n'));
    if (!options.plan) await writePlan(db, plan, target);
    print(plan, flags, problems, options.plan);
  } catch (error) {
    // The rules of the server reject something, in words for the caller.
    throw error instanceof ApiError
      ? new StartError(error.details.map(({ message }) => message).join('\n'))
      : error;
  } finally {
    await db.destroy();
  }
}

const HINTS: Record<string, string> = {
  'does not have this environment':
    'Add it to the project, or choose another one with --environment there=here',
};

function describeProblem({ message, affectedItems }: Finding): string {
  const [, hint] = Object.entries(HINTS).find(([part]) => message.endsWith(part)) ?? [];
  return `${message}: ${affectedItems.join(', ')}.${hint === undefined ? '' : ` ${hint}.`}`;
}

function print(plan: Plan, flags: number, problems: string[], isPlan: boolean): void {
  console.log(`Flags: ${flags.toLocaleString('en')}. Segments: ${plan.segments.size.toLocaleString('en')}.`);
  for (const [environment, { features, featureStrategies }] of plan.environments)
    console.log(`  ${environment}: ${features.length} flags, ${featureStrategies.length} strategies`);
  console.log(`Contexts compared with the rules of the source: ${plan.contexts.toLocaleString('en')}.`);
  printList('Disabled here, because something has no equivalent', plan.unsupported);
  printList('Different here', plan.notes);
  printList('To do before the import', problems);
  console.log(
    isPlan ? '\nThis is a plan. Nothing was written. Run it without --plan to import.' : '\nImported.',
  );
  if (plan.unsupported.length + problems.length > 0) process.exitCode = 1;
}

/** Strings from the source must not be able to control the terminal. */
const printable = (line: string): string => line.replace(/\p{Cc}/gu, ' ');

function printList(title: string, lines: string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines.slice(0, SHOWN)) console.log(`  ${printable(line)}`);
  if (lines.length > SHOWN) console.log(`  … and ${lines.length - SHOWN} more`);
}
