import { badData } from '../../platform/errors.ts';

/** Backslashes and control characters are left out or taken for slashes by browsers. */
const PATH = /^\/(?![/\\])[^\\\p{C}]*$/u;

/** Where to go after a login: a path of this server, or else refused. Nobody is sent elsewhere from here. */
export function ownPath(text: string | undefined, publicUrl: string): string {
  if (text === undefined || text === '') return '/';
  const { origin } = new URL(publicUrl);
  const url = PATH.test(text) ? URL.parse(text, origin) : null;
  if (url?.origin !== origin) {
    throw badData([{ message: 'redirect must be a path of this server', path: '/query/redirect' }]);
  }
  // A path such as /.//host begins with two slashes only after it was parsed.
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}${url.hash}`;
}
