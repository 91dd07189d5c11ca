import type { Connection } from '../api/session.ts';

/** Describes why requests fail. Returns undefined if the server responds. */
export function describeConnection({
  unavailable,
  snapshot,
  waitingWrites,
}: Pick<Connection, 'unavailable' | 'snapshot' | 'waitingWrites'>): string | undefined {
  if (unavailable && snapshot !== null)
    return `The database is unreachable. Applications get their flags from a snapshot of ${new Date(snapshot).toLocaleString()}. Requests are retried.`;
  // Does not depend on whether reads succeed, because a different message could move the "Stop trying" button during a click.
  if (waitingWrites > 0) return 'The server has not responded yet.';
  return unavailable ? 'The server is not available at the moment. Requests are retried.' : undefined;
}
