const JITTER = 0.2;
const MAX_DELAY_MS = 86_400_000;

/** How an attempt ended. All but success count as failures; those that are final are not tried again. */
export type Outcome =
  | 'success'
  | 'partial'
  | 'refused'
  | 'gone'
  | 'blocked'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'configuration'
  | 'interrupted';

const FINAL: readonly Outcome[] = ['gone', 'blocked', 'configuration'];

export type Next =
  | { state: 'success' | 'successWithErrors' | 'failed' }
  | { state: 'retrying'; delayMs: number };

/**
 * What follows from an attempt. The schedule has the seconds to wait before each attempt; `failures` are those before
 * this one. A receiver may ask for more time, up to twice the delay and never more than a day.
 */
export function nextStep(
  outcome: Outcome,
  failures: number,
  schedule: readonly number[],
  retryAfterMs: number | undefined,
  random: number,
): Next {
  if (outcome === 'success') return { state: 'success' };
  if (outcome === 'partial') return { state: 'successWithErrors' };
  const delay = schedule[failures + 1];
  if (FINAL.includes(outcome) || delay === undefined) return { state: 'failed' };
  const jittered = delay * 1_000 * (1 - JITTER + 2 * JITTER * random);
  const asked = Math.min(retryAfterMs ?? 0, 2 * delay * 1_000);
  return { state: 'retrying', delayMs: Math.min(Math.max(jittered, asked), MAX_DELAY_MS) };
}

/** The Retry-After header: seconds, or a date. */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
