import type { Connection } from '../api/session.ts';

/** Describes why requests fail. Returns undefined if the server responds. */
export function describeConnection({
  unavailable,
  snapshot,
  waitingWrites,
}: Pick<Connection, 'unavailable' | 'snapshot' | 'waitingWrites'>): string | undefined {
  if (unavailable && snapshot !== null)
    return `The database is unreachable. Applications get their flags from a snapshot of ${new Date(snapshot).toLocaleString()}. Requests are retried.`;
  // The same whether or not reads succeed meanwhile, because a different message would move "Stop trying" during a click.
  if (waitingWrites > 0) return 'The server has not responded yet.';
  return unavailable ? 'The server is not available at the moment. Requests are retried.' : undefined;
}
