import type { FastifyReply, FastifyRequest } from 'fastify';

/** The longest life of a session. The server ends an idle session earlier. */
export const SESSION_DAYS = 7;

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** With the prefix, a browser accepts the cookie only from this host over https. A sibling domain cannot set it. */
const nameOf = (kind: 'session' | 'login', publicUrl: string): string =>
  `${isSecure(publicUrl) ? '__Host-' : ''}halyard-${kind}`;

export const sessionCookieName = (publicUrl: string): string => nameOf('session', publicUrl);

export const readSessionCookie = (request: FastifyRequest, publicUrl: string): string | undefined =>
  read(request, sessionCookieName(publicUrl));

export function setSessionCookie(reply: FastifyReply, publicUrl: string, secret: string): void {
  write(reply, publicUrl, 'session', secret, SESSION_DAYS * 86_400);
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  write(reply, publicUrl, 'session', '', 0);
}

/** The state of a login at an identity provider. SameSite=Lax, because the browser returns from a different site. */
export const readLoginCookie = (request: FastifyRequest, publicUrl: string): string | undefined =>
  read(request, nameOf('login', publicUrl));

export function setLoginCookie(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  write(reply, publicUrl, 'login', value, seconds);
}

export function clearLoginCookie(reply: FastifyReply, publicUrl: string): void {
  write(reply, publicUrl, 'login', '', 0);
}

function read(request: FastifyRequest, name: string): string | undefined {
  const start = `${name}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim());
  return pairs.find(pair => pair.startsWith(start))?.slice(start.length) || undefined;
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
    `${nameOf(kind, publicUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  );
}
