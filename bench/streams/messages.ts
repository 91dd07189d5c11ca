/** Requests of the bench to the process with the clients. Each request has one response. */
export type Request =
  /** Opens streams, and resolves when each of them has its first event. */
  | { kind: 'open'; port: number; path: string; token: string; count: number }
  /** Forgets what was received so far. */
  | { kind: 'reset' }
  /** Waits until all clients are at this revision or beyond it. */
  | { kind: 'wait'; revision: number }
  /** Latencies of all receipts of these commits, by client and revision. */
  | { kind: 'latencies'; commits: [revision: number, at: number][] }
  /** Waits until all clients have reconnected after a kill. */
  | { kind: 'back' }
  | { kind: 'close' };

export type Response = {
  opened: number;
  /** Milliseconds from `open` to the last first event. */
  openedInMs: number;
  /** When the last client reached the revision, in milliseconds since 1970. */
  lastAt: number;
  /** p50, p99 and the highest latency, and the number of receipts. */
  p50: number;
  p99: number;
  most: number;
  receipts: number;
  /** Since the last reset: the bytes of the client that got most. */
  mostBytes: number;
  hydrations: number;
};

/** The time in milliseconds since 1970 with fractions, the same in all processes of a machine. */
export const now = (): number => performance.timeOrigin + performance.now();
