import type { Context } from './context.ts';

/** The kind of names that shells offer as completions of an argument or an option's value. */
export type CompletionKind = 'flags' | 'projects' | 'environments' | 'profiles';

type Describable = { brief: string; complete?: CompletionKind };

export type Argument = Describable & { optional?: true };

export type Option = Describable & { short?: string } & (
    | { type: 'flag' }
    | { type: 'string'; value: string; required?: true; many?: true }
    | { type: 'integer'; value: string; min: number; max: number; default?: number }
    | { type: 'choice'; choices: readonly string[]; default?: string }
  );

export type Arguments = Record<string, Argument>;
export type Options = Record<string, Option>;

type ArgumentValues<A extends Arguments> = {
  [K in keyof A]: A[K] extends { optional: true } ? string | undefined : string;
};

type OptionValue<O extends Option> = O extends { type: 'flag' }
  ? boolean
  : O extends { type: 'integer' }
    ? O extends { default: number }
      ? number
      : number | undefined
    : O extends { type: 'choice'; choices: readonly (infer C)[] }
      ? O extends { default: string }
        ? C
        : C | undefined
      : O extends { many: true }
        ? string[]
        : O extends { required: true }
          ? string
          : string | undefined;

type OptionValues<O extends Options> = { [K in keyof O]: OptionValue<O[K]> };

/** A destructive command asks for the name, or requires --yes. */
export type Writes = 'change' | 'destructive';

export type Command<A extends Arguments = Arguments, O extends Options = Options, T = unknown> = {
  /** The name as a user types it, such as `flags list`. */
  name: string;
  brief: string;
  /** What a user needs to know beyond the brief. */
  description?: string;
  args?: A;
  options?: O;
  writes?: Writes;
  /** The command uses the server's own dry run, which shows more than the request that would be sent. */
  ownDryRun?: true;
  /** The command makes many changes, so it keeps retrying while the server restarts. */
  survivesRestart?: true;
  /** The ids of the operations that the command calls. */
  calls: string[];
  /** The name of a schema in openapi.json, or a schema that only this command has. */
  output: string | Record<string, unknown>;
  /** The output is one JSON document per line. */
  streams?: true;
  /** The command prints a string unchanged, such as a script. */
  raw?: true;
  /** The command can exit with 10, for example because a check failed. */
  checks?: true;
  examples: { does: string; run: string }[];
  /** The console page for --web. */
  page?: (context: Context, args: ArgumentValues<A>, options: OptionValues<O>) => Promise<string> | string;
  run: (context: Context, args: ArgumentValues<A>, options: OptionValues<O>) => Promise<T> | AsyncIterable<T>;
  /** Formats the result as text for people. */
  text: (result: T, context: Context) => string;
};

/**
 * A command of any type. The type checker checks each definition, but the type of a list of commands cannot express how arguments,
 * options and results belong together.
 */
// biome-ignore lint/suspicious/noExplicitAny: the members of the list have no common type.
export type AnyCommand = Command<any, any, any>;

export const command = <const A extends Arguments, const O extends Options, T>(
  definition: Command<A, O, T>,
): Command<A, O, T> => definition;

export const PROJECT = {
  type: 'string',
  value: 'id',
  short: 'p',
  brief: "Project. Default: HALYARD_PROJECT, or the profile's project",
  complete: 'projects',
} as const satisfies Option;

export const ENVIRONMENT = {
  type: 'string',
  value: 'name',
  short: 'e',
  brief: "Environment. Default: HALYARD_ENVIRONMENT, or the profile's environment",
  complete: 'environments',
} as const satisfies Option;

export const limitOption = (max: number, defaultValue: number) =>
  ({
    type: 'integer',
    value: 'number',
    short: 'n',
    min: 1,
    max,
    default: defaultValue,
    brief: 'Maximum number of results',
  }) as const satisfies Option;

/** The options that every command has. */
export const COMMON = {
  output: {
    type: 'choice',
    choices: ['text', 'json'],
    short: 'o',
    brief: 'Default: text on a terminal, otherwise JSON; or HALYARD_OUTPUT',
  },
  profile: {
    type: 'string',
    value: 'name',
    brief: 'Profile to use. Default: HALYARD_PROFILE, or the current one',
    complete: 'profiles',
  },
  server: {
    type: 'string',
    value: 'url',
    brief: 'URL of the server. Default: HALYARD_SERVER, or the URL in the profile',
  },
  describe: { type: 'flag', brief: "Print the command's inputs and outputs as JSON, for programs" },
} as const satisfies Options;

export const WRITES = {
  comment: {
    type: 'string',
    value: 'text',
    short: 'm',
    brief: 'Why you are making the change; its events carry the comment',
  },
  dryRun: { type: 'flag', brief: 'Show what would be sent, and change nothing' },
  wait: {
    type: 'integer',
    value: 'seconds',
    min: 1,
    max: 3_600,
    brief: 'Wait until all SDKs have the change; exit with 10 if some do not have it by then',
  },
} as const satisfies Options;

export const DESTRUCTIVE = {
  yes: { type: 'flag', short: 'y', brief: 'Do not ask for confirmation' },
} as const satisfies Options;

export const PAGE = {
  web: { type: 'flag', short: 'w', brief: 'Open the page in the console instead' },
} as const satisfies Options;

/** Returns the command's own options, followed by the shared options that its definition implies. */
export const getCommandOptions = ({ options, writes, page }: AnyCommand): Options => ({
  ...options,
  ...(writes && WRITES),
  ...(writes === 'destructive' && DESTRUCTIVE),
  ...(page && PAGE),
  ...COMMON,
});
