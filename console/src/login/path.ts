/** Returns the path to open after a login. URLs of other sites are ignored, because such a site could imitate this page. */
export const getPathAfterLogin = (target: unknown): string =>
  typeof target === 'string' && /^\/(?![/\\])(?!login([?#/]|$))/.test(target) ? target : '/';
