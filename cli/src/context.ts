import { type Connection, chosenProfile, findConnection } from './connection.ts';
import { CommandError, EXIT, wrongUse } from './errors.ts';
import { plain, printable } from './output.ts';
import { type Api, DryRun, makeApi, makeSend, type Send } from './requests.ts';
import { type Changes, makeChanges } from './wait.ts';

/** What a command gets from the process that runs it. */
export type Runtime = {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
};

/** The values of the options that commands share. */
export type Given = {
  profile?: string;
  server?: string;
  output?: 'text' | 'json';
  comment?: string;
  dryRun?: boolean;
  yes?: boolean;
  wait?: number;
};

export type Context = Runtime & {
  given: Given;
  /** Whether standard output gets JSON. */
  json: boolean;
  /** Whether a person can answer a prompt. */
  interactive: boolean;
  connection: () => Connection;
  /** For requests that change nothing, even if they are POST requests. */
  read: Api;
  /** For changes. In a dry run the first one ends the command. */
  write: Api;
  send: Send;
  /** What the command changed so far. */
  changes: Changes;
  /** The project from the option, the environment variable or the profile, in this order. */
  project: (option: string | undefined) => string;
  projectIfSet: (option: string | undefined) => string | undefined;
  environment: (option: string | undefined) => string;
  /** Prints a note to standard error, unless the output is JSON. */
  note: (text: string) => void;
  /** Asks the user to type the name. Without a terminal, --yes is required. */
  confirm: (question: string, name: string) => Promise<void>;
  /** Makes the command exit with 10 after its output. */
  failCheck: () => void;
  exit: () => number;
};

export const wantsJson = (
  { env }: Pick<Runtime, 'env'>,
  stream: { isTTY?: boolean },
  option: string | undefined,
): boolean => {
  const wanted = option ?? (env.HALYARD_OUTPUT || undefined);
  return wanted === 'json' || (wanted !== 'text' && !stream.isTTY);
};

export function makeContext(runtime: Runtime, given: Given, survivesRestart = false): Context {
  const { env, stdin, stdout, stderr } = runtime;
  if (!['', 'text', 'json'].includes(env.HALYARD_OUTPUT ?? ''))
    throw wrongUse(`HALYARD_OUTPUT must be text or json, not ${JSON.stringify(env.HALYARD_OUTPUT)}.`);
  let known: Connection | undefined;
  const connection = () => {
    known ??= findConnection(env, given);
    return known;
  };
  const changes = makeChanges();
  const send = makeSend({ connection, signal: runtime.signal, survivesRestart, onResponse: changes.note });
  const comment = given.comment;
  const set = (option: string | undefined, variable: string, key: 'project' | 'environment') =>
    option ?? (env[variable] || undefined) ?? ownProfile(env, given)?.[key];
  const required = (what: 'project' | 'environment', value: string | undefined): string => {
    if (value) return value;
    const variable = `HALYARD_${what.toUpperCase()}`;
    throw wrongUse(
      `No ${what} is given.`,
      `Use --${what}, set ${variable}, or run halyard profile set --${what} <${what}>.`,
    );
  };
  const interactive = Boolean(stdin.isTTY && stderr.isTTY) && !env.CI;
  const quiet = wantsJson(runtime, stderr, given.output);
  let code: number = EXIT.done;
  return {
    ...runtime,
    given,
    json: wantsJson(runtime, stdout, given.output),
    interactive,
    connection,
    send,
    changes,
    read: makeApi(send, connection),
    write: makeApi(send, connection, request => {
      if (given.dryRun) throw new DryRun({ ...request, ...(comment !== undefined && { comment }) });
      return comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
    }),
    project: option => required('project', set(option, 'HALYARD_PROJECT', 'project')),
    projectIfSet: option => set(option, 'HALYARD_PROJECT', 'project'),
    environment: option => required('environment', set(option, 'HALYARD_ENVIRONMENT', 'environment')),
    note: text => {
      if (!quiet) stderr.write(`${printable(text)}\n`);
    },
    confirm: async (question, name) => {
      if (given.yes || given.dryRun) return;
      if (!interactive)
        throw new CommandError({
          code: 'ConfirmationRequired',
          message: `${question} Without a terminal, nobody can confirm it.`,
          exit: EXIT.usage,
          retryable: false,
          hint: 'Use --yes to continue without confirmation, or --dry-run to see what would be sent.',
        });
      const { askForName } = await import('./prompts.ts');
      await askForName(plain(question), plain(name));
    },
    failCheck: () => {
      code = EXIT.check;
    },
    exit: () => code,
  };
}

/** Returns the profile only if the command uses its server, because a different server has different projects. */
function ownProfile(env: Runtime['env'], given: Given) {
  if (given.server !== undefined || (given.profile === undefined && env.HALYARD_SERVER)) return undefined;
  return chosenProfile(env, given.profile)?.[1];
}
