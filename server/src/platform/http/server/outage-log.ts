import type { LoggerOptions } from 'pino';
import { isOutage } from '../../db/failures.ts';

type Log = Record<'info' | 'warn', (fields: object, message: string) => void>;

export type OutageLog = {
  /** The hooks for pino, which decide whether each line is written. */
  hooks: NonNullable<LoggerOptions['hooks']>;
  /** Where the summaries go. */
  writeTo: (log: Log) => void;
};

const SUMMARY_MS = 60_000;
/** A query waits up to 17 s for a response, so errors of one outage can be that far apart. */
const OUTAGE_ENDED_AFTER_MS = 20_000;
const WARN = 40;

/**
 * Creates a log that summarizes outages. While the database is unavailable, every part of the server that uses it keeps
 * failing, so even an idle server would write 17 lines a second. Therefore, each part logs only its first error. Further errors and
 * requests rejected with 503 are counted, and a summary is logged every minute and once more when the errors have ended.
 */
export function makeOutageLog(summaryMs = SUMMARY_MS, endedAfterMs = OUTAGE_ENDED_AFTER_MS): OutageLog {
  let log: Log | undefined;
  let outage: Outage | undefined;

  const count = ({ failures }: Outage, message: string): void => {
    failures[message] = (failures[message] ?? 0) + 1;
  };

  /** Returns whether the line is the first of its kind. */
  const recordFailure = (message: string, error: Error): boolean => {
    outage ??= begin();
    outage.lastAt = performance.now();
    outage.reason = error.message;
    count(outage, message);
    if (outage.loggedMessages.has(message)) return false;
    outage.loggedMessages.add(message);
    return true;
  };

  const begin = (): Outage => {
    const now = performance.now();
    const timer = setInterval(summarize, Math.min(summaryMs, endedAfterMs) / 4).unref();
    return {
      timer,
      startedAt: now,
      lastAt: now,
      summaryAt: now,
      reason: '',
      failures: {},
      loggedMessages: new Set(),
    };
  };

  const summarize = (): void => {
    if (!outage) return;
    const now = performance.now();
    const { timer, startedAt, lastAt, summaryAt, reason, failures } = outage;
    if (now - lastAt >= endedAfterMs) {
      clearInterval(timer);
      outage = undefined;
      log?.info({ seconds: toSeconds(lastAt - startedAt), failures }, 'database errors ended');
    } else if (now - summaryAt >= summaryMs) {
      log?.warn({ seconds: toSeconds(now - startedAt), reason, failures }, 'database errors continue');
      outage.summaryAt = now;
      outage.failures = {};
    }
  };

  return {
    hooks: {
      logMethod(args, method, level) {
        const [fields, message] = args as [unknown, unknown];
        if (outage && isAbout503(fields)) return count(outage, `${message} with 503`);
        const error = level >= WARN && findError(fields);
        if (!error || !isOutage(error)) method.apply(this, args);
        else if (recordFailure(String(message), error)) method.apply(this, args);
      },
    },
    writeTo: newLog => {
      log = newLog;
    },
  };
}

type Outage = {
  timer: NodeJS.Timeout;
  startedAt: number;
  lastAt: number;
  summaryAt: number;
  reason: string;
  /** How often each message would have been written since the last summary. */
  failures: Record<string, number>;
  loggedMessages: Set<string>;
};

const toSeconds = (ms: number): number => Math.round(ms / 1_000);

/**
 * Returns whether the line is one of the two lines that the server writes for a request rejected with 503.
 */
const isAbout503 = (fields: unknown): boolean =>
  typeof fields === 'object' &&
  fields !== null &&
  (('status' in fields && fields.status === 503) ||
    ('error' in fields && fields.error === 'ServiceUnavailableError'));

const findError = (fields: unknown): Error | undefined =>
  typeof fields === 'object' && fields !== null && 'err' in fields && fields.err instanceof Error
    ? fields.err
    : undefined;
