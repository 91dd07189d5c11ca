import type { Tone } from '../ui/State.tsx';
import { counted, formatNumber } from '../ui/words.ts';
import type { Attempt, Delivery, DeliveryWithAttempts } from './queries.ts';

type DeliveryState = Delivery['state'];

export const STATE_WORDS: Record<DeliveryState, string> = {
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

/** The seconds before each attempt. */
export type Schedule = readonly number[];

const FINAL = ['success', 'partial', 'gone', 'disallowed', 'configuration'];

/**
 * The attempts since the schedule started, without interrupted ones, which do not count. Redelivering starts the schedule
 * again: after a final outcome, after the last attempt, or while a delivery waits to be redelivered.
 */
export function currentRun({ state, attemptList }: DeliveryWithAttempts, schedule: Schedule): Attempt[] {
  let run: Attempt[] = [];
  let hasEnded = false;
  for (const attempt of attemptList) {
    if (attempt.outcome === 'interrupted') continue;
    if (hasEnded) run = [];
    run = [...run, attempt];
    hasEnded = FINAL.includes(attempt.outcome ?? '') || run.length >= schedule.length;
  }
  return state === 'pending' && run.at(-1)?.outcome ? [] : run;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** A duration in words: "24 minutes". Less than a second is "a moment". */
export function inWords(ms: number): string {
  // Starts at two units, so that 90 minutes are not "2 hours".
  const [size, noun] = UNITS.find(([unit]) => ms >= 2 * unit) ?? [1000, 'second'];
  return ms < 1000 ? 'a moment' : counted(Math.round(ms / size), noun);
}

export type Headline = { before: string; strong?: string; after?: string };

/** The state in one sentence: "Attempt 4 of 10 in 24 minutes, at 15:06". */
export function headlineOf(
  delivery: DeliveryWithAttempts,
  schedule: Schedule,
  clock: (at: string) => string,
  now = Date.now(),
): Headline {
  const run = currentRun(delivery, schedule);
  const last = delivery.attemptList.at(-1);
  const next = `Attempt ${run.length + 1} of ${Math.max(schedule.length, run.length + 1)}`;
  if (delivery.state === 'pending' || delivery.state === 'retrying') {
    if (last && last.outcome === null) return { before: `Attempt ${last.number} is running` };
    const { nextAttemptAt } = delivery;
    if (nextAttemptAt === null) return { before: delivery.stateDetails };
    return {
      before: `${next} in `,
      strong: inWords(Date.parse(nextAttemptAt) - now),
      after: `, at ${clock(nextAttemptAt)}`,
    };
  }
  if (delivery.state === 'failed')
    return {
      before:
        delivery.attempts === 0
          ? 'Failed without an attempt'
          : `Failed after ${counted(delivery.attempts, 'attempt')}`,
      ...(delivery.blocks ? { after: '. It blocks later deliveries' } : {}),
    };
  const how = delivery.state === 'success' ? 'Delivered' : 'Delivered with errors';
  return { before: `${how} at attempt ${delivery.attempts}` };
}

const OUTCOMES: Record<string, string> = {
  disallowed: 'not allowed',
  dns: 'DNS error',
  tls: 'TLS error',
  connection: 'no connection',
  configuration: 'misconfigured',
};
/** The same for places with room for only a few letters. */
const CODES: Record<string, string> = {
  disallowed: 'denied',
  dns: 'DNS',
  tls: 'TLS',
  connection: 'failed',
  configuration: 'config',
  interrupted: 'stopped',
};

/** The result in at most seven letters: "503", "timeout", "DNS". `text` says how a connection failed. */
export const codeOf = (status: number | null, outcome: string | null, text: string | null): string =>
  status !== null
    ? String(status)
    : outcome === 'connection' && text?.includes('ECONNREFUSED')
      ? 'refused'
      : (CODES[outcome ?? ''] ?? outcome ?? '');

/** The result of an attempt in a word: the status, or why there is none. */
export const resultOf = ({ status, outcome }: Attempt): string =>
  status === null ? (OUTCOMES[outcome ?? ''] ?? outcome ?? 'running') : String(status);

export const toneOf = ({ outcome }: Attempt): 'on' | 'bad' | 'next' =>
  outcome === null ? 'next' : outcome === 'success' || outcome === 'partial' ? 'on' : 'bad';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request of an attempt as a command. Secrets are masked, so the reader fills them in. */
export function curlOf({ details }: Delivery, attempt: Attempt | undefined): string {
  const url = typeof details.url === 'string' ? details.url : '$URL';
  const headers = (attempt?.requestHeaders ?? []).map(
    ({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  const { body = details } = details;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [`curl -X POST ${quoted(url)}`, ...headers, `--data-raw ${quoted(text)}`].join(' \\\n  ');
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

/** "503 Service Unavailable", or "none". */
export const statusWords = (status: number | null): string =>
  status === null ? 'none' : `${status} ${STATUS_NAMES[status] ?? ''}`.trim();

/** A share as a rate and as counts: "52.1 %" and "24 of 46". Rounded down, so that 100 % are all. */
export const shareOf = (part: number, all: number): { percent: string; counts: string } =>
  all === 0
    ? { percent: '–', counts: 'none' }
    : {
        percent: `${Math.floor((part * 1000) / all) / 10} %`,
        counts: `${formatNumber(part)} of ${formatNumber(all)}`,
      };
