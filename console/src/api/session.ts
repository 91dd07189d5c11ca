// Shared by the client and the shell: whether the session ended, and whether the server is reachable.

import type { Me } from './can.ts';

export type Connection = {
  /** The server responded with 401. Requests wait until the user has logged in again. */
  sessionEnded: boolean;
  /** One of the waiting requests is a change. The login dialog says that it is sent after the login. */
  changeWaits: boolean;
  /** The last requests failed because the server is unreachable or responded with 503. */
  unavailable: boolean;
  /** The server started without its database. Until the database responds, applications are served from a snapshot of this time. */
  snapshot: string | null;
  /** The number of changes that got no response and are retried. */
  waitingWrites: number;
  /** The server has a different version of the console, and a page of this version cannot be loaded. */
  outdated: boolean;
};

let connection: Connection = {
  sessionEnded: false,
  changeWaits: false,
  unavailable: false,
  snapshot: null,
  waitingWrites: 0,
  outdated: false,
};
const listeners = new Set<() => void>();
let waiting: (() => void)[] = [];

export const readConnection = (): Connection => connection;

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setConnection(change: Partial<Connection>): void {
  const names = Object.keys(change) as (keyof Connection)[]; // The keys of a Connection.
  if (names.every(name => change[name] === connection[name])) return;
  connection = { ...connection, ...change };
  for (const listener of listeners) listener();
}

/** The user whose page this is: the first one whom the server named. */
let owner: Me | undefined;
/** Whether a different user is logged in, or may have logged in in another tab since the server last named the user. */
let isInDoubt = false;
addEventListener('focus', () => {
  isInDoubt = true;
});

export const ownerOfPage = (): Me | undefined => owner;

/** Remembers the user that the server named. Returns false if it is not the user of this page. */
export function isOwner(me: Me): boolean {
  owner ??= me;
  // Until the user of this page is back, every write asks again.
  isInDoubt = owner.user.id !== me.user.id;
  return !isInDoubt;
}

export const mayBeAnotherUser = (): boolean => isInDoubt && owner !== undefined;

/** Resolves when the user has logged in again. */
export async function untilLoggedIn(isWrite: boolean): Promise<void> {
  setConnection({ sessionEnded: true, changeWaits: connection.changeWaits || isWrite });
  await new Promise<void>(resolve => waiting.push(resolve));
}

/** Lets the waiting requests continue. */
export function loggedInAgain(): void {
  setConnection({ sessionEnded: false, changeWaits: false });
  const resume = waiting;
  waiting = [];
  for (const one of resume) one();
}
