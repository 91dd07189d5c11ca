import { badData } from '@halyard/plane/platform/errors.ts';

/** A path without control characters and backslashes, because browsers drop control characters and treat a backslash as a slash. */
const PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** Returns the path to open after a login. Rejects other servers, so that a login never redirects to them. */
export function requireReturnPath(text: string | undefined, publicUrl: string): string {
  if (text === undefined || text === '') return '/';
  const path = toLocalPath(text, publicUrl);
  if (path === undefined) {
    throw badData([
      { message: 'redirect must be a path on this server that starts with one /', path: '/query/redirect' },
    ]);
  }
  return path;
}

/** Returns a path on this server, or undefined if the string is not a path on this server. */
export function toLocalPath(text: unknown, publicUrl: string): string | undefined {
  const { origin } = new URL(publicUrl);
  const url = typeof text === 'string' && PATH.test(text) ? URL.parse(text, origin) : null;
  if (url?.origin !== origin) return undefined;
  // A path such as /.//host starts with two slashes after it is parsed.
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}${url.hash}`;
}
