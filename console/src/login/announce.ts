// All windows of a browser share a session, so a login in one window closes the login dialog in the others.

const CHANNEL = 'halyard-login';

/** Tells this browser's other windows that the user has logged in. */
export function announceLogin(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('logged in');
  channel.close();
}

/** Calls the listener when the user logs in from a different window. Returns a function that stops listening. */
export function onLoginElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}
