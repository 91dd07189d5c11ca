const WINDOW_MS = 300_000;
const SLICE_MS = 10_000;
const MIN_ATTEMPTS = 20;
const FAILED_SHARE = 0.7;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

/** Attempts are counted by slices of time, so that a busy integration takes no more room than a quiet one. */
type Slice = { from: number; attempts: number; failures: number };
type Circuit = { slices: Slice[]; openUntil: number; restMs: number };

export type Breaker = {
  /** Notes how an attempt of the integration ended. */
  note: (integration: number, failed: boolean, now: number) => void;
  /** Those that must not be tried now; `running` says how many attempts of one run, since a probe is one only. */
  resting: (now: number, running: (integration: number) => number) => number[];
  /** How many attempts may run at once, as far as the breaker is concerned. */
  allowance: (integration: number, now: number) => number;
};

/**
 * Keeps a dead receiver from using up attempts and workers: at least 20 attempts within 5 minutes of which 70 % failed,
 * and it rests for 5 s, then gets one probe; each that fails doubles the rest, up to a minute. A receiver that fails half the
 * time can look dead for a moment, so the first rest is short. Each server learns for itself.
 */
export function makeBreaker(): Breaker {
  const circuits = new Map<number, Circuit>();
  return {
    note: (integration, failed, now) => {
      const circuit = circuits.get(integration) ?? { slices: [], openUntil: 0, restMs: FIRST_REST_MS };
      circuits.set(integration, circuit);
      if (circuit.openUntil > 0) {
        if (!failed) circuits.delete(integration);
        // Before the rest is over it was on its way when the circuit opened; after that it is the probe.
        else if (now >= circuit.openUntil) {
          circuit.restMs = Math.min(2 * circuit.restMs, LONGEST_REST_MS);
          circuit.openUntil = now + circuit.restMs;
        }
        return;
      }
      const slices = circuit.slices.filter(one => one.from > now - WINDOW_MS);
      const last = slices.at(-1);
      const current = last && last.from > now - SLICE_MS ? last : { from: now, attempts: 0, failures: 0 };
      if (current !== last) slices.push(current);
      current.attempts++;
      if (failed) current.failures++;
      circuit.slices = slices;
      const attempts = slices.reduce((sum, one) => sum + one.attempts, 0);
      const failures = slices.reduce((sum, one) => sum + one.failures, 0);
      if (attempts >= MIN_ATTEMPTS && failures >= FAILED_SHARE * attempts) {
        circuit.openUntil = now + circuit.restMs;
        circuit.slices = [];
      }
    },
    resting: (now, running) =>
      [...circuits].flatMap(([integration, { openUntil }]) =>
        openUntil > now || (openUntil > 0 && running(integration) > 0) ? [integration] : [],
      ),
    allowance: (integration, now) => {
      const openUntil = circuits.get(integration)?.openUntil ?? 0;
      if (openUntil > now) return 0;
      return openUntil > 0 ? 1 : Number.POSITIVE_INFINITY;
    },
  };
}
