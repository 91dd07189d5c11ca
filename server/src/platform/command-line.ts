import { readFileSync } from 'node:fs';
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { howToRun, IS_PACKAGE, locate } from './files.ts';
import { type DescribedVariables, VARIABLE_NAMES, VARIABLES } from './variables.ts';

type Option = ParseArgsOptionDescriptor & { meaning: string };
type Options = Record<string, Option>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** A command as its `--help` describes it. */
export type Command<T extends Options> = {
  /** The command as a user types it, such as `npm run migrate` or `halyard migrate`. */
  run: string;
  /** The purpose, in one or more sentences. */
  does: string;
  options?: T;
  /** The options that the help lists. Default: all of them. */
  listed?: readonly string[];
  /** The page that describes the command. Default: the page about the environment variables. */
  page?: string;
  /** The environment variables that the program reads, or the most important of them. */
  variables?: DescribedVariables;
};

const HELP = { type: 'boolean', short: 'h', meaning: 'Print this help' } satisfies Option;

/** Returns the options of this process. For --help, it prints the help and exits with 0. For an unknown option, it exits with 2. */
export function readOptions<T extends Options>(command: Command<T>): Values<T> {
  const options: Options = { ...command.options, help: HELP };
  try {
    const { values, tokens } = parseArgs({ options, tokens: true });
    rejectRepetition(command.run, options, tokens);
    if (values.help) printAndExit(helpText(command, options));
    // parseArgs cannot infer the types of options that are passed through a generic function.
    return values as Values<T>;
  } catch (error) {
    // Node's second sentence explains how to pass an argument that begins with a dash, which does not help here.
    const [problem = ''] = (error as Error).message.split('. ');
    rejectOption(command.run, problem.replace(/\.$/, ''));
  }
}

/** Removes and returns the arguments before the first option, such as the product to import from. Call it before readOptions. */
export function takePositionals(): string[] {
  const words = process.argv.slice(2);
  const firstOption = words.findIndex(word => word.startsWith('-'));
  return process.argv.splice(2, firstOption < 0 ? words.length : firstOption);
}

type Tokens = { kind: string; name?: string }[];

/** Rejects an option that is passed twice, because only its last value would be used. */
function rejectRepetition(run: string, options: Options, tokens: Tokens): void {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' && name !== undefined ? [name] : []));
  const repeatedName = names.find(
    (name, index) =>
      options[name]?.type === 'string' && !options[name].multiple && names.indexOf(name) < index,
  );
  if (repeatedName !== undefined) rejectOption(run, `--${repeatedName} can be passed only once`);
}

/** Rejects options that the command would ignore. `reason` says why, or which command they belong to. */
export function rejectUnused(run: string, values: object, names: readonly string[], reason: string): void {
  const unusedName = Object.entries(values).find(
    ([name, value]) => names.includes(name) && value !== undefined && value !== false,
  )?.[0];
  if (unusedName !== undefined) rejectOption(run, `--${unusedName} ${reason}`);
}

/** Prints what is wrong with an option and exits with 2. */
export function rejectOption(run: string, problem: string): never {
  process.stderr.write(`${problem}. Run ${appendOption(run, '--help')} for all options.\n`);
  process.exit(2);
}

/** Reads the server's options. There are only two, because the server takes all its settings from the environment. */
export function readServerOptions(): void {
  const { version: showsVersion } = readOptions({
    run: howToRun('server'),
    does: `Halyard ${version()}, a feature-flag service.`,
    options: { version: { type: 'boolean', short: 'v', meaning: 'Print the version' } },
    variables: VARIABLES,
  });
  if (showsVersion) printAndExit(version());
}

export function version(): string {
  return (JSON.parse(readFileSync(locate('manifest'), 'utf8')) as { version: string }).version;
}

function printAndExit(text: string): never {
  process.stdout.write(`${text}\n`);
  process.exit(0);
}

/** Appends an option to a command. npm passes only what follows -- to the script. */
const appendOption = (run: string, option: string): string =>
  run.startsWith('npm ') ? `${run} -- ${option}` : `${run} ${option}`;

function helpText(command: Command<Options>, options: Options): string {
  const isListed = (name: string) =>
    command.listed === undefined || name === 'help' || command.listed.includes(name);
  const listedOptions = Object.entries(options).filter(([name]) => isListed(name));
  const rows = listedOptions.map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    const hasDefault = option.default !== undefined && option.default !== false && option.default !== '';
    return {
      flag: `${short}--${name}${option.type === 'string' ? ' <value>' : ''}`,
      meaning: `${option.meaning}${hasDefault ? `. Default: ${option.default}` : ''}`,
    };
  });
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, meaning }) => `  ${flag.padEnd(width)}  ${meaning}`);
  const variables =
    command.variables === undefined ? '' : `\n\n${variablesText(command.variables, command.page)}`;
  return `${command.does}\n\nUsage: ${appendOption(command.run, '<option>').replace(/(-- )?<option>/, '[$&]')}\n\nOptions:\n${lines.join('\n')}${variables}`;
}

const VARIABLES_PAGE = 'docs/reference/configuration.md';

function variablesText(variables: DescribedVariables, page = VARIABLES_PAGE): string {
  const width = Math.max(...Object.keys(variables).map(name => name.length));
  const rows = Object.entries(variables).map(
    ([name, { meaning, default: fallback }]) =>
      `  ${name.padEnd(width)}  ${meaning}\n  ${' '.repeat(width)}  Default: ${fallback}`,
  );
  const isServer = variables === VARIABLES;
  const note = isServer && !IS_PACKAGE ? ' (npm start also reads them from .env)' : '';
  return `Environment variables${note}:
${rows.join('\n')}

${isServer ? FILE_VARIABLES : `All variables: ${howToRun('server', '--help')}`}

Documentation: ${page}${IS_PACKAGE ? ' in the Halyard repository' : ''}`;
}

const FILE_VARIABLES = `To read a secret from a file, set one of these variables to its path:
${VARIABLE_NAMES.filter(name => name.endsWith('_FILE'))
  .map(name => `  ${name}`)
  .join('\n')}`;
