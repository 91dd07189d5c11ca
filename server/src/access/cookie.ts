import type { FastifyReply, FastifyRequest } from 'fastify';

/** The maximum lifetime of a session. If the session is idle, the server ends it earlier. */
export const SESSION_DAYS = 7;

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/**
 * Returns the name of a cookie. The `__Host-` prefix makes browsers accept the cookie only from this host over https, so a
 * sibling domain cannot set it.
 */
const getCookieName = (kind: 'session' | 'login', publicUrl: string): string =>
  `${isSecure(publicUrl) ? '__Host-' : ''}halyard-${kind}`;

export const getSessionCookieName = (publicUrl: string): string => getCookieName('session', publicUrl);

export const readSessionCookie = (request: FastifyRequest, publicUrl: string): string | undefined =>
  read(request, getSessionCookieName(publicUrl));

export function setSessionCookie(reply: FastifyReply, publicUrl: string, secret: string): void {
  write(reply, publicUrl, 'session', secret, SESSION_DAYS * 86_400);
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  write(reply, publicUrl, 'session', '', 0);
}

/**
 * Reads the cookie with the state of a login at an identity provider. The cookie has SameSite=Lax, because the browser comes back
 * from a different site.
 */
export const readLoginCookie = (request: FastifyRequest, publicUrl: string): string | undefined =>
  read(request, getCookieName('login', publicUrl));

export function setLoginCookie(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  write(reply, publicUrl, 'login', value, seconds);
}

export function clearLoginCookie(reply: FastifyReply, publicUrl: string): void {
  write(reply, publicUrl, 'login', '', 0);
}

function read(request: FastifyRequest, name: string): string | undefined {
  const prefix = `${name}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim());
  return pairs.find(pair => pair.startsWith(prefix))?.slice(prefix.length) || undefined;
}

function write(
  reply: FastifyReply,
  publicUrl: string,
  kind: 'session' | 'login',
  value: string,
  seconds: number,
): void {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${getCookieName(kind, publicUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  );
}
