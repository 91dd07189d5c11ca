const JITTER = 0.2;
const MAX_DELAY_MS = 86_400_000;

/** The outcome of an attempt. Final outcomes are not retried. */
export type Outcome =
  | 'success'
  | 'partial'
  | 'rejected'
  | 'gone'
  | 'disallowed'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'configuration'
  | 'interrupted';

const FINAL_OUTCOMES: readonly Outcome[] = ['gone', 'disallowed', 'configuration'];

export type NextState =
  | { state: 'success' | 'successWithErrors' | 'failed' }
  | { state: 'retrying'; delayMs: number };

/**
 * Decides what follows an attempt. The schedule contains the delay before each attempt in seconds, and `failureCount` is the number of
 * earlier failed attempts. A Retry-After header can extend the delay, but at most to twice its length and at most to a day.
 */
export function decideNextState(
  outcome: Outcome,
  failureCount: number,
  schedule: readonly number[],
  retryAfterMs: number | undefined,
  random: number,
): NextState {
  if (outcome === 'success') return { state: 'success' };
  if (outcome === 'partial') return { state: 'successWithErrors' };
  const delay = schedule[failureCount + 1];
  if (FINAL_OUTCOMES.includes(outcome) || delay === undefined) return { state: 'failed' };
  const jitteredDelay = delay * 1_000 * (1 - JITTER + 2 * JITTER * random);
  const requestedDelay = Math.min(retryAfterMs ?? 0, 2 * delay * 1_000);
  return { state: 'retrying', delayMs: Math.min(Math.max(jitteredDelay, requestedDelay), MAX_DELAY_MS) };
}

/** Converts the Retry-After header, which contains seconds or a date, to milliseconds. */
export function parseRetryAfter(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
