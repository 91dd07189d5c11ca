import type { Tone } from '../ui/State.tsx';
import { formatCount, formatNumber } from '../ui/words.ts';
import type { Attempt, Delivery, DeliveryWithAttempts } from './queries.ts';

type DeliveryState = Delivery['state'];
type DeliveryCounts = {
  pending: number;
  retrying: number;
  last24Hours: { delivered: number; deliveredFirst: number; failed: number };
};

export const STATE_LABELS: Record<DeliveryState, string> = {
  pending: 'Pending',
  retrying: 'Retrying',
  success: 'Delivered',
  successWithErrors: 'Delivered with errors',
  failed: 'Failed',
};
export const STATE_TONES: Record<DeliveryState, Tone> = {
  pending: 'off',
  retrying: 'warn',
  success: 'on',
  successWithErrors: 'warn',
  failed: 'bad',
};

/** The seconds to wait before each attempt. */
export type Schedule = readonly number[];

const FINAL_OUTCOMES = ['success', 'partial', 'gone', 'disallowed', 'configuration'];

/**
 * Returns the attempts since the schedule started, without interrupted attempts, which do not count. A redelivery restarts the
 * schedule. It is recognized by an attempt after a final outcome or a completed schedule, or by a pending delivery with attempts.
 */
export function getCurrentRun({ state, attemptList }: DeliveryWithAttempts, schedule: Schedule): Attempt[] {
  let run: Attempt[] = [];
  let hasEnded = false;
  for (const attempt of attemptList) {
    if (attempt.outcome === 'interrupted') continue;
    if (hasEnded) run = [];
    run = [...run, attempt];
    hasEnded = FINAL_OUTCOMES.includes(attempt.outcome ?? '') || run.length >= schedule.length;
  }
  return state === 'pending' && run.at(-1)?.outcome ? [] : run;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** Formats a duration as "24 minutes". Less than a second is "a moment". */
export function formatLongDuration(ms: number): string {
  // A larger unit starts at two, so that 90 minutes do not become "2 hours".
  const [size, noun] = UNITS.find(([unit]) => ms >= 2 * unit) ?? [1000, 'second'];
  return ms < 1000 ? 'a moment' : formatCount(Math.round(ms / size), noun);
}

export type Headline = { start: string; emphasis?: string; end?: string };

/** Describes the state in one line, such as "Attempt 4 of 10 in 24 minutes, at 15:06". */
export function buildHeadline(
  delivery: DeliveryWithAttempts,
  schedule: Schedule,
  formatClock: (at: string) => string,
  now = Date.now(),
): Headline {
  const run = getCurrentRun(delivery, schedule);
  const lastAttempt = delivery.attemptList.at(-1);
  const nextAttempt = `Attempt ${run.length + 1} of ${Math.max(schedule.length, run.length + 1)}`;
  if (delivery.state === 'pending' || delivery.state === 'retrying') {
    if (lastAttempt && lastAttempt.outcome === null)
      return { start: `Attempt ${lastAttempt.number} is running` };
    const { nextAttemptAt } = delivery;
    if (nextAttemptAt === null) return { start: delivery.stateDetails };
    return {
      start: `${nextAttempt} in `,
      emphasis: formatLongDuration(Date.parse(nextAttemptAt) - now),
      end: `, at ${formatClock(nextAttemptAt)}`,
    };
  }
  if (delivery.state === 'failed')
    return {
      start:
        delivery.attempts === 0
          ? 'Failed without an attempt'
          : `Failed after ${formatCount(delivery.attempts, 'attempt')}`,
      ...(delivery.blocks ? { end: '. It blocks later deliveries' } : {}),
    };
  const outcome = delivery.state === 'success' ? 'Delivered' : 'Delivered with errors';
  return { start: `${outcome} on attempt ${delivery.attempts}` };
}

const OUTCOME_LABELS: Record<string, string> = {
  disallowed: 'not allowed',
  dns: 'DNS error',
  tls: 'TLS error',
  connection: 'no connection',
  configuration: 'misconfigured',
};
/** Shorter versions, for places with room for only a few letters. */
const SHORT_OUTCOME_LABELS: Record<string, string> = {
  disallowed: 'denied',
  dns: 'DNS',
  tls: 'TLS',
  connection: 'failed',
  configuration: 'config',
  interrupted: 'stopped',
};

/** Returns the result in at most seven letters, such as "503", "timeout" or "DNS". `error` says how a connection failed. */
export const formatShortResult = (
  status: number | null,
  outcome: string | null,
  error: string | null,
): string =>
  status !== null
    ? String(status)
    : outcome === 'connection' && error?.includes('ECONNREFUSED')
      ? 'refused'
      : (SHORT_OUTCOME_LABELS[outcome ?? ''] ?? outcome ?? '');

/** Returns an attempt's response status, or why there was no response. */
export const formatResult = ({ status, outcome }: Attempt): string =>
  status === null ? (OUTCOME_LABELS[outcome ?? ''] ?? outcome ?? 'running') : String(status);

export const getAttemptTone = ({ outcome }: Attempt): 'on' | 'bad' | 'next' =>
  outcome === null ? 'next' : outcome === 'success' || outcome === 'partial' ? 'on' : 'bad';

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes an attempt's request as a curl command. Secrets are masked, so the user has to fill them in. */
export function buildCurlCommand({ details }: Delivery, attempt: Attempt | undefined): string {
  const url = typeof details.url === 'string' ? details.url : '$URL';
  const headers = (attempt?.requestHeaders ?? []).map(
    ({ name, value }) => `-H ${quoteForShell(`${name}: ${value}`)}`,
  );
  const { body = details } = details;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [`curl -X POST ${quoteForShell(url)}`, ...headers, `--data-raw ${quoteForShell(text)}`].join(
    ' \\\n  ',
  );
}

const STATUS_NAMES: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  410: 'Gone',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Formats a status as "503 Service Unavailable" or "none". */
export const formatStatus = (status: number | null): string =>
  status === null ? 'none' : `${status} ${STATUS_NAMES[status] ?? ''}`.trim();

/** Formats a share as "52.1 %" and "24 of 46". The percentage is rounded down, so that only a complete share is 100 %. */
export const formatShare = (part: number, total: number): { percent: string; counts: string } =>
  total === 0
    ? { percent: '–', counts: 'none' }
    : {
        percent: `${Math.floor((part * 1000) / total) / 10} %`,
        counts: `${formatNumber(part)} of ${formatNumber(total)}`,
      };

/** Returns the success rates of the last 24 hours, which are unknown until the first attempt ends. */
export function computeShares(stats: DeliveryCounts | undefined) {
  const { delivered = 0, deliveredFirst = 0, failed = 0 } = stats?.last24Hours ?? {};
  const attempted = delivered + failed + (stats?.retrying ?? 0);
  return {
    deliveredShare: formatShare(delivered, attempted === 0 ? 0 : attempted + (stats?.pending ?? 0)),
    firstAttemptShare: formatShare(deliveredFirst, attempted),
  };
}
