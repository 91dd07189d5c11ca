// Windows of one browser share the session, so a login in one of them ends the login dialog of the others.

const CHANNEL = 'halyard-login';

/** Says to the other windows of this browser that the user has logged in. */
export function announceLogin(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('logged in');
  channel.close();
}

/** Calls the listener when the user has logged in in another window. Returns the function that stops it. */
export function onLoginElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}
