import { readFileSync } from 'node:fs';
import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { howToRun, IS_PACKAGE, locate } from './files.ts';
import { type Described, VARIABLE_NAMES, VARIABLES } from './variables.ts';

type Option = ParseArgsOptionDescriptor & { meaning: string };
type Options = Record<string, Option>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** A program as its --help describes it. */
export type Command<T extends Options> = {
  /** The command as a user types it: `npm run migrate` or `halyard migrate`. */
  run: string;
  /** The purpose, in one or more sentences. */
  does: string;
  options?: T;
  /** The environment variables that it reads, or the important ones. */
  variables?: Described;
};

const HELP = { type: 'boolean', short: 'h', meaning: 'Print this help' } satisfies Option;

/** The options of this process. Prints the help and exits with 0 for --help; exits with 2 for an unknown option. */
export function readOptions<T extends Options>(command: Command<T>): Values<T> {
  const options: Options = { ...command.options, help: HELP };
  try {
    const { values } = parseArgs({ options });
    if (values.help) printAndExit(helpText(command, options));
    // parseArgs loses the types of options that are passed through a generic function.
    return values as Values<T>;
  } catch (error) {
    // Node's second sentence explains how to pass an argument that begins with a dash, which does not help here.
    const [problem = ''] = (error as Error).message.split('. ');
    rejectOption(command.run, problem.replace(/\.$/, ''));
  }
}

/** Takes the arguments before the first option, such as the product to import from. Call it before readOptions. */
export function takeWords(): string[] {
  const rest = process.argv.slice(2);
  const first = rest.findIndex(word => word.startsWith('-'));
  return process.argv.splice(2, first < 0 ? rest.length : first);
}

/** Prints what is wrong with an option and exits with 2. */
export function rejectOption(run: string, problem: string): never {
  process.stderr.write(`${problem}. Run ${withOption(run, '--help')} for all options.\n`);
  process.exit(2);
}

/** The server takes all its settings from the environment, so there are only two options. */
export function readServerOptions(): void {
  const { version: wanted } = readOptions({
    run: howToRun('server'),
    does: `Halyard ${version()}, a feature-flag service.`,
    options: { version: { type: 'boolean', short: 'v', meaning: 'Print the version' } },
    variables: VARIABLES,
  });
  if (wanted) printAndExit(version());
}

export function version(): string {
  return (JSON.parse(readFileSync(locate('manifest'), 'utf8')) as { version: string }).version;
}

function printAndExit(text: string): never {
  process.stdout.write(`${text}\n`);
  process.exit(0);
}

/** npm passes on the options after --. */
const withOption = (run: string, option: string): string =>
  run.startsWith('npm ') ? `${run} -- ${option}` : `${run} ${option}`;

function helpText(command: Command<Options>, options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    const given = option.default !== undefined && option.default !== false && option.default !== '';
    return {
      flag: `${short}--${name}${option.type === 'string' ? ' <value>' : ''}`,
      meaning: `${option.meaning}${given ? `. Default: ${option.default}` : ''}`,
    };
  });
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const lines = rows.map(({ flag, meaning }) => `  ${flag.padEnd(width)}  ${meaning}`);
  const variables = command.variables === undefined ? '' : `\n\n${variablesText(command.variables)}`;
  return `${command.does}\n\nUsage: ${withOption(command.run, '<option>').replace(/(-- )?<option>/, '[$&]')}\n\nOptions:\n${lines.join('\n')}${variables}`;
}

function variablesText(variables: Described): string {
  const width = Math.max(...Object.keys(variables).map(name => name.length));
  const rows = Object.entries(variables).map(
    ([name, { meaning, default: fallback }]) =>
      `  ${name.padEnd(width)}  ${meaning}\n  ${' '.repeat(width)}  Default: ${fallback}`,
  );
  const isServer = variables === VARIABLES;
  const more = isServer && !IS_PACKAGE ? ' (npm start also reads them from .env)' : '';
  return `Environment variables${more}:
${rows.join('\n')}

${isServer ? FILES : `All variables: ${howToRun('server', '--help')}`}

Documentation: docs/reference/configuration.md${IS_PACKAGE ? ' in the repository of Halyard' : ''}`;
}

const FILES = `A secret can be in a file instead. These variables name such a file:
${VARIABLE_NAMES.filter(name => name.endsWith('_FILE'))
  .map(name => `  ${name}`)
  .join('\n')}`;
