import { type Changes, makeChanges } from './changes.ts';
import { type Connection, findConnection, findProfile } from './connection.ts';
import { CommandError, EXIT, usageError } from './errors.ts';
import { sanitize, sanitizeLines } from './output.ts';
import { type Api, DryRun, makeApi, makeSend, type Send } from './requests.ts';

/** What a command needs from the process that runs it. */
export type Runtime = {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
};

/** The values of the options that commands share. */
export type SharedOptions = {
  profile?: string;
  server?: string;
  output?: 'text' | 'json';
  comment?: string;
  dryRun?: boolean;
  yes?: boolean;
  wait?: number;
};

export type Context = Runtime & {
  sharedOptions: SharedOptions;
  /** Whether the command prints JSON to standard output. */
  json: boolean;
  /** Whether a person can answer a prompt. */
  interactive: boolean;
  connection: () => Connection;
  /** For requests that change nothing, including POST requests that only read. */
  read: Api;
  /** For changes. In a dry run, the first change ends the command. */
  write: Api;
  send: Send;
  /** The changes that the command has made so far. */
  changes: Changes;
  /** The project from the option, the environment variable or the profile, in this order. */
  project: (option: string | undefined) => string;
  projectIfSet: (option: string | undefined) => string | undefined;
  environment: (option: string | undefined) => string;
  /** Prints a note to standard error, unless the output is JSON. */
  note: (text: string) => void;
  /** Asks the user to type the name. Without a terminal, --yes is required. */
  confirm: (effect: string, name: string) => Promise<void>;
  /** Makes the command exit with 10 after it has printed its output. */
  failCheck: () => void;
  exit: () => number;
};

export const wantsJson = (
  { env }: Pick<Runtime, 'env'>,
  stream: { isTTY?: boolean },
  option: string | undefined,
): boolean => {
  const requested = option ?? (env.HALYARD_OUTPUT || undefined);
  return requested === 'json' || (requested !== 'text' && !stream.isTTY);
};

export function makeContext(
  runtime: Runtime,
  sharedOptions: SharedOptions,
  survivesRestart = false,
): Context {
  const { env, stdin, stdout, stderr } = runtime;
  if (!['', 'text', 'json'].includes(env.HALYARD_OUTPUT ?? ''))
    throw usageError(`HALYARD_OUTPUT must be text or json, not ${JSON.stringify(env.HALYARD_OUTPUT)}.`);
  let cachedConnection: Connection | undefined;
  const connection = () => {
    cachedConnection ??= findConnection(env, sharedOptions);
    return cachedConnection;
  };
  const changes = makeChanges();
  const send = makeSend({ connection, signal: runtime.signal, survivesRestart, onResponse: changes.record });
  const { comment } = sharedOptions;
  const readSetting = (option: string | undefined, variable: string, key: 'project' | 'environment') =>
    option ?? (env[variable] || undefined) ?? findServerProfile(env, sharedOptions)?.[key];
  const requireSetting = (setting: 'project' | 'environment', value: string | undefined): string => {
    if (value) return value;
    const variable = `HALYARD_${setting.toUpperCase()}`;
    throw usageError(
      `No ${setting} was given.`,
      `Use --${setting}, set ${variable}, or run halyard profile set --${setting} <${setting}>.`,
    );
  };
  const interactive = Boolean(stdin.isTTY && stderr.isTTY) && !env.CI;
  const isQuiet = wantsJson(runtime, stderr, sharedOptions.output);
  let exitCode: number = EXIT.done;
  return {
    ...runtime,
    sharedOptions,
    json: wantsJson(runtime, stdout, sharedOptions.output),
    interactive,
    connection,
    send,
    changes,
    read: makeApi(send, connection),
    write: makeApi(send, connection, request => {
      if (sharedOptions.dryRun) throw new DryRun({ ...request, ...(comment !== undefined && { comment }) });
      return comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
    }),
    project: option => requireSetting('project', readSetting(option, 'HALYARD_PROJECT', 'project')),
    projectIfSet: option => readSetting(option, 'HALYARD_PROJECT', 'project'),
    environment: option =>
      requireSetting('environment', readSetting(option, 'HALYARD_ENVIRONMENT', 'environment')),
    note: text => {
      if (!isQuiet) stderr.write(`${sanitizeLines(text)}\n`);
    },
    confirm: async (effect, name) => {
      if (sharedOptions.yes || sharedOptions.dryRun) return;
      if (!interactive)
        throw new CommandError({
          code: 'ConfirmationRequired',
          message: `${effect} This cannot be confirmed without a terminal.`,
          exit: EXIT.usage,
          retryable: false,
          hint: 'Use --yes to continue without confirmation, or --dry-run to see what would be sent.',
        });
      const { askForName } = await import('./prompts.ts');
      await askForName(sanitize(effect), sanitize(name));
    },
    failCheck: () => {
      exitCode = EXIT.check;
    },
    exit: () => exitCode,
  };
}

/** Returns the profile only if the command uses its server, because a different server has different projects. */
function findServerProfile(env: Runtime['env'], sharedOptions: SharedOptions) {
  if (sharedOptions.server !== undefined || (sharedOptions.profile === undefined && env.HALYARD_SERVER))
    return undefined;
  return findProfile(env, sharedOptions.profile)?.[1];
}
