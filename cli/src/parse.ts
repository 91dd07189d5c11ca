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
import { type AnyCommand, getCommandOptions, type Option } from './command.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { completionsFor } from './completion.ts';
import { VERSION } from './version.ts';

export type Invocation = {
  command: AnyCommand;
  args: Record<string, string | undefined>;
  options: Record<string, unknown>;
};

export type ParseResult =
  | { kind: 'run'; invocation: Invocation }
  | { kind: 'print'; text: string }
  | { kind: 'error'; message: string };

type Env = Record<string, string | undefined>;
type Recording = CommandContext & { invocation?: Invocation };

const toKebabCase = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

const NO_MAXIMUM = 1_000_000_000;

function integerParser(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^-?\d+$/.test(text) || number < min || number > max)
      throw new Error(
        `Expected a whole number from ${min}${max < NO_MAXIMUM ? ` to ${max}` : ''}, but got ${JSON.stringify(text)}`,
      );
    return number;
  };
}

/** Converts an option to a stricli flag. */
function toFlag(option: Option, env: Env): object {
  const { brief } = option;
  const completionProposal = {
    proposeCompletions: (partial: string) => completionsFor(env, option.complete, partial),
  };
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
      parse: integerParser(option.min, option.max),
      ...(option.default === undefined ? { optional: true } : { default: String(option.default) }),
    };
  return {
    kind: 'parsed',
    brief,
    placeholder: option.value,
    parse: String,
    ...completionProposal,
    ...(!option.required && { optional: true }),
    ...(option.many && { variadic: true }),
  };
}

function toStricli(command: AnyCommand, env: Env): StricliCommand<Recording> {
  const options = getCommandOptions(command);
  const args = Object.entries(command.args ?? {}) as [
    string,
    { brief: string; optional?: true; complete?: never },
  ][];
  const aliases = Object.entries(options).flatMap(([name, { short }]) => (short ? [[short, name]] : []));
  const examples = command.examples.map(({ does, run: line }) => `  # ${does}\n  halyard ${line}`);
  return buildCommand({
    func(this: Recording, flags: Record<string, unknown>, ...values: (string | undefined)[]) {
      this.invocation = {
        command,
        options: flags,
        args: Object.fromEntries(args.map(([name], index) => [name, values[index]])),
      };
    },
    // Cast to `never`, because stricli infers these types from the function, which is the same for all commands here.
    parameters: {
      flags: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, toFlag(option, env)])),
      positional: {
        kind: 'tuple',
        parameters: args.map(([name, { brief, optional, complete }]) => ({
          placeholder: toKebabCase(name),
          brief,
          parse: String,
          proposeCompletions: (partial: string) => completionsFor(env, complete, partial),
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

/** Defines all commands for stricli. `otherCommands` are those of the program that called this module. */
function makeApplication(env: Env, otherCommands: OtherCommand[], words: string[]): Application<Recording> {
  const routes: Record<string, StricliCommand<Recording> | RouteMap<Recording>> = {};
  for (const command of COMMANDS.filter(({ name }) => !name.includes(' ')))
    routes[command.name] = toStricli(command, env);
  for (const [group, brief] of Object.entries(GROUPS)) {
    const commands = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
    const groupRoutes = Object.fromEntries(
      commands.map(command => [command.name.slice(group.length + 1), toStricli(command, env)]),
    );
    routes[group] = buildRouteMap({ routes: groupRoutes, docs: { brief } });
  }
  // The functions are empty, because these commands are only listed and suggested here.
  for (const { name, brief } of otherCommands)
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
        exceptionWhileParsingArguments: error => reword(error, optionNames(words)),
      },
    },
  });
}

/** Rewords stricli's messages, which call options "flags". */
function reword(error: unknown, options: string[]): string {
  if (!(error instanceof ArgumentScannerError)) return error instanceof Error ? error.message : String(error);
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) => unknownOption(input, corrections, options),
    AliasNotFoundError: ({ input }) => `There is no option -${input}.`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      `The value of --${name} is invalid: ${exception instanceof Error ? exception.message : exception}.`,
    EnumValidationError: ({ externalFlagName: name, input, values }) =>
      `The option --${name} must be one of ${values.join(', ')}, not ${JSON.stringify(input)}.`,
    UnsatisfiedFlagError: ({ externalFlagName: name }) => `The option --${name} needs a value.`,
    UnexpectedPositionalError: ({ input }) =>
      `Unexpected argument ${JSON.stringify(input)}. Quote a value that contains spaces, and put an option before its value.`,
    UnsatisfiedPositionalError: ({ placeholder }) => `The argument <${placeholder}> is missing.`,
    UnexpectedFlagError: ({ externalFlagName: name }) => `The option --${name} is given twice.`,
  });
}

/** Suggests options that begin with the input, such as --env, rather than options with a similar spelling. */
function unknownOption(input: string, corrections: readonly string[], options: string[]): string {
  if (input === 'token')
    return 'There is no option --token, because everybody on the machine can see the arguments of a process. Use halyard login --with-token, which asks for the token or reads it from standard input, or set HALYARD_TOKEN.';
  const prefixMatches = options.filter(name => name.startsWith(input));
  const suggestions = (prefixMatches.length > 0 ? prefixMatches : corrections)
    .map(name => `--${name}`)
    .join(' or ');
  return `There is no option --${input}.${suggestions ? ` Did you mean ${suggestions}?` : ''}`;
}

/** Returns the option names of the command in `words`. */
function optionNames(words: string[]): string[] {
  const command = COMMANDS.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name);
  return command ? Object.keys(getCommandOptions(command)).map(toKebabCase) : [];
}

/** Parses the words of a command line. */
export async function parse(
  words: string[],
  env: Env,
  otherCommands: OtherCommand[] = [],
): Promise<ParseResult> {
  const outputTexts: string[] = [];
  const errorTexts: string[] = [];
  const streamInto = (list: string[]) => ({ write: (text: string) => void list.push(text), isTTY: false });
  const context: Recording & { process: { exitCode?: number | string | null } } = {
    process: { stdout: streamInto(outputTexts), stderr: streamInto(errorTexts) } as never,
  };
  await run(makeApplication(env, otherCommands, words), words, context);
  if (context.invocation) return { kind: 'run', invocation: context.invocation };
  if (context.process.exitCode === 0) return { kind: 'print', text: outputTexts.join('').trimEnd() };
  return { kind: 'error', message: errorTexts.join('').trim() };
}

/** Returns completions for the last word. */
export async function suggestCompletions(
  words: string[],
  env: Env,
  otherCommands: OtherCommand[] = [],
): Promise<{ completion: string; brief: string }[]> {
  const context = { process: { stdout: { write: () => {} }, stderr: { write: () => {} } } };
  return [...(await proposeCompletions(makeApplication(env, otherCommands, words), words, context as never))];
}
