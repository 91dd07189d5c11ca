/** Only a path of this server, because a different URL could imitate this page. The login page itself is excluded. */
export const pathAfterLogin = (to: unknown): string =>
  typeof to === 'string' && /^\/(?![/\\])(?!login([?#/]|$))/.test(to) ? to : '/';
