// Shared by the client and the shell: whether the session ended, and whether the server is reachable.

export type Connection = {
  /** The server responded with 401. Requests wait until the user has logged in again. */
  sessionEnded: boolean;
  /** The last requests failed because the server is unreachable or responded with 503. */
  unavailable: boolean;
};

let connection: Connection = { sessionEnded: false, unavailable: false };
const listeners = new Set<() => void>();
let waiting: (() => void)[] = [];

export const readConnection = (): Connection => connection;

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setConnection(change: Partial<Connection>): void {
  const next = { ...connection, ...change };
  if (next.sessionEnded === connection.sessionEnded && next.unavailable === connection.unavailable) return;
  connection = next;
  for (const listener of listeners) listener();
}

/** Resolves when the user has logged in again. */
export async function untilLoggedIn(): Promise<void> {
  setConnection({ sessionEnded: true });
  await new Promise<void>(resolve => waiting.push(resolve));
}

/** Lets the waiting requests continue. */
export function loggedInAgain(): void {
  setConnection({ sessionEnded: false });
  const resume = waiting;
  waiting = [];
  for (const one of resume) one();
}
