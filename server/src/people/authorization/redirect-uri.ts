import { MAX_REDIRECT_URI_LENGTH } from './limits.ts';

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && LOOPBACK.includes(hostname);

/**
 * Why a program cannot get its code at this URI; undefined if it can. Only https and this machine: other schemes, such as
 * javascript:, would run in the console.
 */
export function redirectUriProblem(text: unknown): string | undefined {
  const url = typeof text === 'string' && text.length <= MAX_REDIRECT_URI_LENGTH ? URL.parse(text) : null;
  if (!url) return `must be a URL of at most ${MAX_REDIRECT_URI_LENGTH} characters`;
  if (url.protocol !== 'https:' && !isLoopback(url))
    return 'must be an https URL, or an http URL of 127.0.0.1, [::1] or localhost';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (String(text).includes('#')) return 'must not have a fragment';
  return undefined;
}

/** Compares exactly. A program on the user's machine listens on whatever port is free, so the port of a loopback URI is ignored. */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (redirectUriProblem(redirectUri) !== undefined) return false;
  if (registered.includes(redirectUri)) return true;
  const given = new URL(redirectUri);
  if (!isLoopback(given)) return false;
  return registered.some(one => {
    const known = URL.parse(one);
    return known !== null && isLoopback(known) && withoutPort(known) === withoutPort(given);
  });
}

const withoutPort = ({ hostname, pathname, search }: URL): string => `${hostname}${pathname}${search}`;

/** The redirect URI with the parameters of the response. Its own query stays. */
export function responseUrl(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
