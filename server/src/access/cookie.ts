import type { FastifyReply, FastifyRequest } from 'fastify';

/** As long as a session can last; the server ends it earlier when it is not used. */
export const SESSION_DAYS = 7;

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** With the prefix a browser takes the cookie from this very host over https only: no sibling domain can plant one. */
export const sessionCookieName = (publicUrl: string): string =>
  isSecure(publicUrl) ? '__Host-halyard-session' : 'halyard-session';

export function readSessionCookie(request: FastifyRequest, publicUrl: string): string | undefined {
  const start = `${sessionCookieName(publicUrl)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map(pair => pair.trim());
  return pairs.find(pair => pair.startsWith(start))?.slice(start.length) || undefined;
}

export function setSessionCookie(reply: FastifyReply, publicUrl: string, secret: string): void {
  write(reply, publicUrl, secret, SESSION_DAYS * 86_400);
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  write(reply, publicUrl, '', 0);
}

function write(reply: FastifyReply, publicUrl: string, value: string, seconds: number): void {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${sessionCookieName(publicUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`,
  );
}
