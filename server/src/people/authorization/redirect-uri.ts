import { MAX_REDIRECT_URI_LENGTH } from './limits.ts';

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];

export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);

/**
 * Returns why a client cannot receive its code at this URI, or undefined if it can. Only https and this machine are allowed,
 * because a scheme such as javascript: would run code in the console.
 */
export function findRedirectUriProblem(text: unknown): string | undefined {
  const url = typeof text === 'string' && text.length <= MAX_REDIRECT_URI_LENGTH ? URL.parse(text) : null;
  if (!url) return `must be a URL of at most ${MAX_REDIRECT_URI_LENGTH} characters`;
  if (url.protocol !== 'https:' && !isLoopback(url))
    return 'must be an https URL, or an http URL on 127.0.0.1, [::1] or localhost';
  if (url.username !== '' || url.password !== '') return 'must not contain a username or password';
  if (String(text).includes('#')) return 'must not have a fragment';
  return undefined;
}

/**
 * Returns whether the client registered this redirect URI. A client on the user's machine listens on whatever port is free, so
 * the port of a loopback URI is ignored.
 */
export function isRegisteredUri(redirectUri: string, registeredUris: readonly string[]): boolean {
  if (findRedirectUriProblem(redirectUri) !== undefined) return false;
  if (registeredUris.includes(redirectUri)) return true;
  const requestedUrl = new URL(redirectUri);
  if (!isLoopback(requestedUrl)) return false;
  return registeredUris.some(uri => {
    const registeredUrl = URL.parse(uri);
    return (
      registeredUrl !== null &&
      isLoopback(registeredUrl) &&
      withoutPort(registeredUrl) === withoutPort(requestedUrl)
    );
  });
}

const withoutPort = ({ hostname, pathname, search }: URL): string => `${hostname}${pathname}${search}`;

/** Adds the response parameters to the redirect URI and keeps its own query. */
export function buildResponseUrl(
  redirectUri: string,
  parameters: Record<string, string | undefined>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
