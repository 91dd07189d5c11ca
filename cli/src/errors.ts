import { printable } from './output.ts';

/** The meaning of each exit code, for the process that ran the command. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  check: 10,
  interrupted: 130,
} as const;

export const EXIT_MEANINGS: Record<number, string> = {
  [EXIT.done]: 'Done',
  [EXIT.failed]: 'Failed: the server is unreachable or overloaded, or it has a bug',
  [EXIT.usage]: 'Usage error: an unknown command or option, or a value that the server rejects as invalid',
  [EXIT.notAllowed]: 'Not allowed: no valid token, or a missing permission',
  [EXIT.notFound]: 'Not found, or not visible to the token',
  [EXIT.conflict]: 'Conflict: the name is taken, the object is in use, or somebody else changed it',
  [EXIT.check]:
    'A check failed, such as `projects health --min`, or with `--wait` not all SDKs have the change',
  [EXIT.interrupted]: 'Interrupted with Ctrl+C',
};

export type Problem = {
  /** The name of the server's error, or one of ours. Programs match on it. */
  code: string;
  message: string;
  exit: number;
  /** The same command may succeed later. */
  retryable: boolean;
  /** The id of the error in the server's log. */
  id?: string | undefined;
  status?: number;
  details?: unknown[];
  /** What to do about it. */
  hint?: string;
};

/** Everything that ends a command early. */
export class CommandError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.message, { cause });
    this.problem = problem;
  }
}

const failure =
  (code: string, exit: number, retryable = false) =>
  (message: string, hint?: string): CommandError =>
    new CommandError({ code, exit, retryable, message, ...(hint !== undefined && { hint }) });

export const wrongUse = failure('UsageError', EXIT.usage);
export const notLoggedIn = failure('NotLoggedIn', EXIT.notAllowed);
export const notFound = failure('NotFoundError', EXIT.notFound);
export const failed = failure('Failed', EXIT.failed);
export const unreachable = failure('Unreachable', EXIT.failed, true);
export const interrupted = (message = 'Interrupted.'): CommandError =>
  failure('Interrupted', EXIT.interrupted, true)(message);

const EXIT_OF_STATUS: Record<number, number> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  413: EXIT.usage,
  415: EXIT.usage,
  422: EXIT.usage,
};

type ErrorBody = { id?: string; name?: string; message?: string; details?: unknown[] };

/** A rejection by the server, or by a proxy in between that does not respond with JSON. */
export function rejection(status: number, body: unknown, where: string): CommandError {
  const { id, name, message, details } = typeof body === 'object' && body !== null ? (body as ErrorBody) : {};
  const isOurs = name !== undefined && message !== undefined;
  const hint = hintFor(status, name);
  return new CommandError({
    code: name ?? 'UnexpectedResponse',
    message: isOurs ? message : `${where} responded with ${status}, but not like a Halyard server.`,
    exit: EXIT_OF_STATUS[status] ?? EXIT.failed,
    retryable: status === 429 || status >= 500,
    id,
    status,
    ...(details && details.length > 0 && { details }),
    ...(hint !== undefined && { hint }),
  });
}

function hintFor(status: number, name: string | undefined): string | undefined {
  if (status === 401) return 'Run halyard login again, or check HALYARD_TOKEN.';
  if (name === undefined) return 'Check the URL of the server with halyard doctor.';
  return undefined;
}

/** The error as programs read it from standard error. */
export const errorDocument = ({ exit: _, id, ...rest }: Problem): object => ({
  error: { ...rest, id: id ?? null },
});

type Detail = { message?: unknown };

/** The error as people read it on standard error. */
export function errorText({ code, message, details = [], hint, id, status }: Problem): string {
  const listed = (details as Detail[]).flatMap(one =>
    typeof one?.message === 'string' ? [`  - ${one.message}`] : [],
  );
  const isBug = status !== undefined && status >= 500;
  const lines = [
    // Pressing Ctrl+C is not an error, so nothing is printed.
    code === 'Interrupted' ? message : `Error: ${message}`,
    ...(listed.length > 1 || (listed[0] !== undefined && !listed[0].includes(message)) ? listed : []),
    ...(isBug && id ? [`The id of the error in the server's log is ${id}.`] : []),
    ...(hint ? [hint] : []),
  ];
  return printable(lines.join('\n'));
}
