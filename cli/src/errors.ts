import { sanitizeLines } from './output.ts';

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
    'A check failed, such as `projects health --min`, or not all SDKs have the change yet (`--wait`)',
  [EXIT.interrupted]: 'Interrupted with Ctrl+C',
};

export type Problem = {
  /** The name of the error, from the server or the CLI. Scripts match on it. */
  code: string;
  message: string;
  exit: number;
  /** The same command may succeed later. */
  retryable: boolean;
  /** The id of the error in the server's log. */
  id?: string | undefined;
  status?: number;
  details?: unknown[];
  /** What the user can do about the problem. */
  hint?: string;
};

/** An error that ends a command. */
export class CommandError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.message, { cause });
    this.problem = problem;
  }
}

const errorFactory =
  (code: string, exit: number, retryable = false) =>
  (message: string, hint?: string): CommandError =>
    new CommandError({ code, exit, retryable, message, ...(hint !== undefined && { hint }) });

export const usageError = errorFactory('UsageError', EXIT.usage);
export const notLoggedInError = errorFactory('NotLoggedIn', EXIT.notAllowed);
export const notFoundError = errorFactory('NotFoundError', EXIT.notFound);
export const failure = errorFactory('Failed', EXIT.failed);
export const unreachableError = errorFactory('Unreachable', EXIT.failed, true);
export const interruption = (message = 'Interrupted.'): CommandError =>
  errorFactory('Interrupted', EXIT.interrupted, true)(message);

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

/** Creates the error for a rejected request. The body is not JSON if a proxy rejected the request instead of the server. */
export function rejection(
  status: number,
  body: unknown,
  server: string,
  hintFor401 = 'Run halyard login again, or check HALYARD_TOKEN.',
): CommandError {
  const { id, name, message, details } = typeof body === 'object' && body !== null ? (body as ErrorBody) : {};
  const isFromHalyard = name !== undefined && message !== undefined;
  const hint = hintFor(status, name, hintFor401);
  return new CommandError({
    code: name ?? 'UnexpectedResponse',
    message: isFromHalyard
      ? message
      : `${server} responded with ${status}, but the response is not from a Halyard server.`,
    exit: EXIT_OF_STATUS[status] ?? EXIT.failed,
    retryable: status === 429 || status >= 500,
    id,
    status,
    ...(details && details.length > 0 && { details }),
    ...(hint !== undefined && { hint }),
  });
}

function hintFor(status: number, name: string | undefined, hintFor401: string): string | undefined {
  if (status === 401) return hintFor401;
  if (name === undefined) return 'Check the URL of the server with halyard doctor.';
  return undefined;
}

/** Formats the error as programs read it from standard error. */
export const errorDocument = ({ exit: _, id, ...rest }: Problem): object => ({
  error: { ...rest, id: id ?? null },
});

type Detail = { message?: unknown };

/** Formats the error as people read it on standard error. */
export function errorText({ code, message, details = [], hint, id, status }: Problem): string {
  const detailLines = (details as Detail[]).flatMap(detail =>
    typeof detail?.message === 'string' ? [`  - ${detail.message}`] : [],
  );
  const isBug = status !== undefined && status >= 500;
  const lines = [
    // Not prefixed with "Error", because pressing Ctrl+C is not an error.
    code === 'Interrupted' ? message : `Error: ${message}`,
    ...(detailLines.length > 1 || (detailLines[0] !== undefined && !detailLines[0].includes(message))
      ? detailLines
      : []),
    ...(isBug && id ? [`The id of the error in the server's log is ${id}.`] : []),
    ...(hint ? [hint] : []),
  ];
  return sanitizeLines(lines.join('\n'));
}
