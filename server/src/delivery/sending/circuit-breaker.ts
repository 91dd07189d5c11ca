const WINDOW_MS = 300_000;
const SLICE_MS = 10_000;
const MIN_ATTEMPTS = 20;
const MAX_FAILED_SHARE = 0.7;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;

/** Attempts are counted per time slice, so that memory does not grow with the number of attempts. */
type Slice = { startedAt: number; attempts: number; failures: number };
type Circuit = { slices: Slice[]; openUntil: number; pauseMs: number };

export type CircuitBreaker = {
  /** Counts the outcome of an attempt. */
  record: (integration: number, hasFailed: boolean, now: number) => void;
  /**
   * Returns the integrations that the server must not send to now. `countRunning` counts an integration's running attempts, because
   * only one probe may run at a time.
   */
  listOpenCircuits: (now: number, countRunning: (integration: number) => number) => number[];
  /** Returns the number of attempts that the circuit breaker allows at the same time. */
  getAllowance: (integration: number, now: number) => number;
};

/**
 * An integration's circuit opens when 70 % of at least 20 attempts within 5 minutes have failed. After a pause of 5 s, the breaker
 * lets one attempt through, the probe. A failed probe doubles the pause, up to 1 minute, and a successful one closes the circuit. The
 * first pause is short, because a receiver that fails half the time can open the circuit by chance. Each server has its own circuit
 * breaker.
 */
export function createCircuitBreaker(): CircuitBreaker {
  const circuits = new Map<number, Circuit>();
  return {
    record: (integration, hasFailed, now) => {
      const circuit = circuits.get(integration) ?? { slices: [], openUntil: 0, pauseMs: FIRST_PAUSE_MS };
      circuits.set(integration, circuit);
      if (circuit.openUntil > 0) {
        if (!hasFailed) circuits.delete(integration);
        // Ignores attempts that end during the pause, because they were running when the circuit opened. An attempt that ends later
        // is the probe.
        else if (now >= circuit.openUntil) {
          circuit.pauseMs = Math.min(2 * circuit.pauseMs, MAX_PAUSE_MS);
          circuit.openUntil = now + circuit.pauseMs;
        }
        return;
      }
      const slices = circuit.slices.filter(slice => slice.startedAt > now - WINDOW_MS);
      const lastSlice = slices.at(-1);
      const currentSlice =
        lastSlice && lastSlice.startedAt > now - SLICE_MS
          ? lastSlice
          : { startedAt: now, attempts: 0, failures: 0 };
      if (currentSlice !== lastSlice) slices.push(currentSlice);
      currentSlice.attempts++;
      if (hasFailed) currentSlice.failures++;
      circuit.slices = slices;
      const attempts = slices.reduce((sum, slice) => sum + slice.attempts, 0);
      const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
      if (attempts >= MIN_ATTEMPTS && failures >= MAX_FAILED_SHARE * attempts) {
        circuit.openUntil = now + circuit.pauseMs;
        circuit.slices = [];
      }
    },
    listOpenCircuits: (now, countRunning) =>
      [...circuits].flatMap(([integration, { openUntil }]) =>
        openUntil > now || (openUntil > 0 && countRunning(integration) > 0) ? [integration] : [],
      ),
    getAllowance: (integration, now) => {
      const openUntil = circuits.get(integration)?.openUntil ?? 0;
      if (openUntil > now) return 0;
      return openUntil > 0 ? 1 : Number.POSITIVE_INFINITY;
    },
  };
}
