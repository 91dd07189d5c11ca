// State that the client and the shell share: whether the session has ended, and whether the server is reachable.

import type { Me } from './can.ts';

export type Connection = {
  /** The server responded with 401. Requests wait until the user has logged in again. */
  sessionEnded: boolean;
  /** One of the waiting requests is a change. The login dialog says that it will be sent after the login. */
  hasWaitingChange: boolean;
  /** The last requests failed because the server is unreachable or responded with 503. */
  unavailable: boolean;
  /** The server started without its database. Until the database responds, applications are served from a snapshot taken at this time. */
  snapshot: string | null;
  /** The number of changes that got no response and are being retried. */
  waitingWrites: number;
  /** The server has a different version of the console, so this version's pages can no longer be loaded. */
  outdated: boolean;
};

let connection: Connection = {
  sessionEnded: false,
  hasWaitingChange: false,
  unavailable: false,
  snapshot: null,
  waitingWrites: 0,
  outdated: false,
};
const listeners = new Set<() => void>();
let resumeRequests: (() => void)[] = [];

export const readConnection = (): Connection => connection;

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function setConnection(change: Partial<Connection>): void {
  const names = Object.keys(change) as (keyof Connection)[]; // The keys of a Connection.
  if (names.every(name => change[name] === connection[name])) return;
  connection = { ...connection, ...change };
  for (const listener of listeners) listener();
}

/** The user that this page belongs to: the first one that the server reported. */
let pageUser: Me | undefined;
/** Whether a different user is logged in, or may have logged in through a different tab since the server last reported the user. */
let isUserUncertain = false;
addEventListener('focus', () => {
  isUserUncertain = true;
});

export const readPageUser = (): Me | undefined => pageUser;

/** Compares the user that the server reported with the user of this page. Returns false if they differ. */
export function checkPageUser(me: Me): boolean {
  pageUser ??= me;
  // Stays set while a different user is logged in, so that every write checks again.
  isUserUncertain = pageUser.user.id !== me.user.id;
  return !isUserUncertain;
}

export const mayBeDifferentUser = (): boolean => isUserUncertain && pageUser !== undefined;

/** Resolves when the user has logged in again. */
export async function waitForLogin(isWrite: boolean): Promise<void> {
  setConnection({ sessionEnded: true, hasWaitingChange: connection.hasWaitingChange || isWrite });
  await new Promise<void>(resolve => resumeRequests.push(resolve));
}

/** Lets the waiting requests continue. */
export function resumeAfterLogin(): void {
  setConnection({ sessionEnded: false, hasWaitingChange: false });
  const callbacks = resumeRequests;
  resumeRequests = [];
  for (const resume of callbacks) resume();
}
