const WINDOW_MS = 300_000;
const MIN_ATTEMPTS = 20;
const FAILED_SHARE = 0.7;
const OPEN_MS = 60_000;

type Circuit = { recent: { at: number; failed: boolean }[]; openUntil: number };

export type Breaker = {
  /** Notes how an attempt of the integration ended. */
  note: (integration: number, failed: boolean, now: number) => void;
  /** Those that must not be tried now; `running` says how many attempts of one run, since a probe is one only. */
  resting: (now: number, running: (integration: number) => number) => number[];
  /** How many attempts may run at once. */
  allowance: (integration: number, now: number, most: number) => number;
};

/**
 * Keeps a dead receiver from using up attempts and workers: 20 attempts within 5 minutes of which 70 % failed, and it
 * rests for a minute, then gets one probe. Each server learns for itself.
 */
export function makeBreaker(): Breaker {
  const circuits = new Map<number, Circuit>();
  return {
    note: (integration, failed, now) => {
      const circuit = circuits.get(integration) ?? { recent: [], openUntil: 0 };
      circuits.set(integration, circuit);
      if (circuit.openUntil > 0) {
        // What comes in now is the probe, or was on its way when the circuit opened.
        if (failed) circuit.openUntil = Math.max(circuit.openUntil, now + OPEN_MS);
        else circuits.delete(integration);
        return;
      }
      circuit.recent = [...circuit.recent.filter(one => one.at > now - WINDOW_MS), { at: now, failed }].slice(
        -MIN_ATTEMPTS,
      );
      const failures = circuit.recent.filter(one => one.failed).length;
      if (circuit.recent.length >= MIN_ATTEMPTS && failures >= FAILED_SHARE * circuit.recent.length) {
        circuit.openUntil = now + OPEN_MS;
        circuit.recent = [];
      }
    },
    resting: (now, running) =>
      [...circuits].flatMap(([integration, { openUntil }]) =>
        openUntil > now || (openUntil > 0 && running(integration) > 0) ? [integration] : [],
      ),
    allowance: (integration, now, most) => {
      const openUntil = circuits.get(integration)?.openUntil ?? 0;
      if (openUntil > now) return 0;
      return openUntil > 0 ? 1 : most;
    },
  };
}
