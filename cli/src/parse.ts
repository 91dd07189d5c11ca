import {
  type Application,
  ArgumentScannerError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  formatMessageForArgumentScannerError,
  proposeCompletions,
  type RouteMap,
  run,
  type Command as StricliCommand,
  text_en,
} from '@stricli/core';
import { type AnyCommand, type Option, optionsOf } from './command.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { candidates } from './completion.ts';
import { VERSION } from './version.ts';

export type Invocation = {
  command: AnyCommand;
  args: Record<string, string | undefined>;
  options: Record<string, unknown>;
};

export type Parsed =
  | { kind: 'run'; invocation: Invocation }
  | { kind: 'print'; text: string }
  | { kind: 'wrong'; message: string };

type Env = Record<string, string | undefined>;
type Recording = CommandContext & { found?: Invocation };

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

const UNBOUNDED = 1_000_000_000;

function integerBetween(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^-?\d+$/.test(text) || number < min || number > max)
      throw new Error(
        `Expected a whole number from ${min}${max < UNBOUNDED ? ` to ${max}` : ''}, but got ${JSON.stringify(text)}`,
      );
    return number;
  };
}

/** One option as stricli describes it. */
function toFlag(option: Option, env: Env): object {
  const { brief } = option;
  const propose = { proposeCompletions: (partial: string) => candidates(env, option.complete, partial) };
  if (option.type === 'flag') return { kind: 'boolean', brief, optional: true, withNegated: false };
  if (option.type === 'choice')
    return {
      kind: 'enum',
      brief,
      values: option.choices,
      ...(option.default === undefined ? { optional: true } : { default: option.default }),
    };
  if (option.type === 'integer')
    return {
      kind: 'parsed',
      brief,
      placeholder: option.value,
      parse: integerBetween(option.min, option.max),
      ...(option.default === undefined ? { optional: true } : { default: String(option.default) }),
    };
  return {
    kind: 'parsed',
    brief,
    placeholder: option.value,
    parse: String,
    ...propose,
    ...(!option.required && { optional: true }),
    ...(option.many && { variadic: true }),
  };
}

function toStricli(command: AnyCommand, env: Env): StricliCommand<Recording> {
  const options = optionsOf(command);
  const args = Object.entries(command.args ?? {}) as [
    string,
    { brief: string; optional?: true; complete?: never },
  ][];
  const aliases = Object.entries(options).flatMap(([name, { short }]) => (short ? [[short, name]] : []));
  const examples = command.examples.map(({ does, run: line }) => `  # ${does}\n  halyard ${line}`);
  return buildCommand({
    func(this: Recording, flags: Record<string, unknown>, ...values: (string | undefined)[]) {
      this.found = {
        command,
        options: flags,
        args: Object.fromEntries(args.map(([name], n) => [name, values[n]])),
      };
    },
    // stricli infers these types from the function, but ours is the same for all commands.
    parameters: {
      flags: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, toFlag(option, env)])),
      positional: {
        kind: 'tuple',
        parameters: args.map(([name, { brief, optional, complete }]) => ({
          placeholder: kebab(name),
          brief,
          parse: String,
          proposeCompletions: (partial: string) => candidates(env, complete, partial),
          ...(optional && { optional: true }),
        })),
      },
      aliases: Object.fromEntries(aliases),
    } as never,
    docs: {
      brief: command.brief,
      fullDescription: [
        `${command.brief}.`,
        ...(command.description ? [command.description] : []),
        `Examples:\n${examples.join('\n')}`,
      ].join('\n\n'),
    },
  }) as StricliCommand<Recording>;
}

export type OtherCommand = { name: string; brief: string };

/** All commands as stricli defines them. `others` are the commands of the program that called this one. */
function application(env: Env, others: OtherCommand[], words: string[]): Application<Recording> {
  const routes: Record<string, StricliCommand<Recording> | RouteMap<Recording>> = {};
  for (const command of COMMANDS.filter(({ name }) => !name.includes(' ')))
    routes[command.name] = toStricli(command, env);
  for (const [group, brief] of Object.entries(GROUPS)) {
    const own = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
    const inside = Object.fromEntries(
      own.map(one => [one.name.slice(group.length + 1), toStricli(one, env)]),
    );
    routes[group] = buildRouteMap({ routes: inside, docs: { brief } });
  }
  // They are listed and suggested, but never run from here.
  for (const { name, brief } of others)
    routes[name] = buildCommand({
      func: () => {},
      parameters: {},
      docs: { brief },
    }) as StricliCommand<Recording>;
  return buildApplication(buildRouteMap({ routes, docs: { brief: 'Halyard, a feature-flag service.' } }), {
    name: 'halyard',
    versionInfo: { currentVersion: VERSION },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: {
      caseStyle: 'convert-camel-to-kebab',
      onlyRequiredInUsageLine: true,
      disableAnsiColor: true,
    },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: ({ input, corrections }) =>
          `There is no ${input.startsWith('-') ? 'option' : 'command'} ${JSON.stringify(input)}.${corrections.length > 0 ? ` Did you mean ${corrections.join(' or ')}?` : ''}`,
        headers: { ...text_en.headers, flags: 'OPTIONS' },
        briefs: {
          ...text_en.briefs,
          help: 'Print this help',
          version: 'Print the version',
          argumentEscapeSequence: 'Everything after it is an argument, even if it begins with a dash',
        },
        exceptionWhileParsingArguments: error => inOurWords(error, optionNames(words)),
      },
    },
  });
}

/** stricli calls options "flags", a word that means something different here. */
function inOurWords(error: unknown, options: string[]): string {
  if (!(error instanceof ArgumentScannerError)) return error instanceof Error ? error.message : String(error);
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) => unknownOption(input, corrections, options),
    AliasNotFoundError: ({ input }) => `There is no option -${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      `The value of --${name} is invalid: ${exception instanceof Error ? exception.message : exception}.`,
    EnumValidationError: ({ externalFlagName: name, input, values }) =>
      `The value of --${name} is ${JSON.stringify(input)}, and must be one of ${values.join(', ')}.`,
    UnsatisfiedFlagError: ({ externalFlagName: name }) => `The option --${name} needs a value.`,
    UnexpectedPositionalError: ({ input }) =>
      `There is an argument too many: ${JSON.stringify(input)}. Put a value with spaces between quotes, and the name of an option before its value.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `The argument <${placeholder}> is missing.`,
    UnexpectedFlagError: ({ externalFlagName: name }) => `The option --${name} is given twice.`,
  });
}

/** A prefix, such as --env, is a better match than a similar spelling. */
function unknownOption(input: string, corrections: readonly string[], options: string[]): string {
  if (input === 'token')
    return 'There is no option --token, because everybody on the machine can see the arguments of a process. Use halyard login --with-token, which asks for the token or reads it from standard input, or set HALYARD_TOKEN.';
  const longer = options.filter(name => name.startsWith(input));
  const meant = (longer.length > 0 ? longer : corrections).map(one => `--${one}`).join(' or ');
  return `There is no option --${input}.${meant ? ` Did you mean ${meant}?` : ''}`;
}

/** The names of the options that the command of these words has. */
function optionNames(words: string[]): string[] {
  const command = COMMANDS.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name);
  return command ? Object.keys(optionsOf(command)).map(kebab) : [];
}

/** Parses the words of a command line. */
export async function parse(words: string[], env: Env, others: OtherCommand[] = []): Promise<Parsed> {
  const printed: string[] = [];
  const wrong: string[] = [];
  const into = (list: string[]) => ({ write: (text: string) => void list.push(text), isTTY: false });
  const context: Recording & { process: { exitCode?: number | string | null } } = {
    process: { stdout: into(printed), stderr: into(wrong) } as never,
  };
  await run(application(env, others, words), words, context);
  if (context.found) return { kind: 'run', invocation: context.found };
  if (context.process.exitCode === 0) return { kind: 'print', text: printed.join('').trimEnd() };
  return { kind: 'wrong', message: wrong.join('').trim() };
}

/** What a shell may offer for the last word. */
export async function propose(
  words: string[],
  env: Env,
  others: OtherCommand[] = [],
): Promise<{ completion: string; brief: string }[]> {
  const context = { process: { stdout: { write: () => {} }, stderr: { write: () => {} } } };
  return [...(await proposeCompletions(application(env, others, words), words, context as never))];
}
