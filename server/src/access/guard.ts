import type { FastifyRequest } from 'fastify';
import { type Actor, ADMIN_TOKEN_USER_ID } from '../actor.ts';
import type { Db, Reader } from '../db/database.ts';
import { ApiError, authenticationRequired, noAccess, notFound } from '../errors.ts';
import type { App } from '../http/app.ts';
import type { Permission, RoutePermission } from './permissions.ts';
import { PUBLIC_ROUTES } from './public-routes.ts';
import { findApiToken, findPersonalToken, findProjectAccess, markSeen } from './store.ts';
import { hashToken, isForged } from './token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor;
  }
  interface FastifyContextConfig {
    permission?: RoutePermission;
  }
}

const MAX_TOKEN_LENGTH = 512;

/** Lets nobody past who is not allowed to: every route declares a permission or stands in the public list. */
export function installGuard(app: App, db: Db): void {
  app.decorateRequest('actor');

  app.addHook('onRoute', route => {
    if (route.config?.permission !== undefined || PUBLIC_ROUTES.has(route.url)) return;
    throw new Error(
      `${route.method} ${route.url} declares no permission and is not in the list of public routes.`,
    );
  });

  app.addHook('onRequest', async request => {
    const route = request.routeOptions.url;
    if (route !== undefined && PUBLIC_ROUTES.has(route)) return;
    // An unknown address outside the API has nothing to guard; inside, only those who may ask learn that it is unknown.
    if (route === undefined && !request.url.startsWith('/api/')) return;
    request.actor = await authenticate(db, request);
    if (route !== undefined) await authorize(db, request);
  });
}

async function authenticate(db: Db, request: FastifyRequest): Promise<Actor> {
  const token = request.headers.authorization?.replace(/^bearer /i, '').trim() ?? '';
  if (token === '' || token.length > MAX_TOKEN_LENGTH || isForged(token)) throw authenticationRequired();
  return token.startsWith('user:')
    ? await authenticateUser(db, request, token)
    : await authenticateApiToken(db, request, token);
}

async function authenticateUser(db: Db, request: FastifyRequest, token: string): Promise<Actor> {
  const user = await findPersonalToken(db, hashToken(token));
  if (!user) throw authenticationRequired();
  if (user.seenLongAgo) noteUse(db, request, 'personal_access_tokens', user.tokenId);
  return {
    kind: user.kind,
    userId: user.userId,
    name: user.name,
    ip: request.ip,
    isAdmin: user.rootPermissions.includes('ADMIN'),
    rootPermissions: user.rootPermissions,
  };
}

async function authenticateApiToken(db: Db, request: FastifyRequest, token: string): Promise<Actor> {
  const found = await findApiToken(db, hashToken(token));
  if (!found) throw authenticationRequired();
  if (found.seenLongAgo) noteUse(db, request, 'api_tokens', found.id);
  if (found.type !== 'admin') {
    throw new ApiError(
      'NoAccessError',
      `A ${found.type} token is for SDKs only; the admin API needs an admin or personal token.`,
    );
  }
  return {
    kind: 'admin-token',
    userId: ADMIN_TOKEN_USER_ID,
    name: found.name,
    ip: request.ip,
    isAdmin: true,
    rootPermissions: ['ADMIN'],
  };
}

/** Not awaited: the caller need not wait for a note about itself, and must not fail because of it. */
function noteUse(
  db: Db,
  request: FastifyRequest,
  table: 'api_tokens' | 'personal_access_tokens',
  id: number,
): void {
  markSeen(db, table, id).catch(error =>
    request.log.warn({ err: error }, 'last use of a token was not noted'),
  );
}

async function authorize(db: Db, request: FastifyRequest): Promise<void> {
  const needed = request.routeOptions.config.permission ?? 'NONE';
  const { projectId, environment } = request.params as { projectId?: string; environment?: string };
  const permissions = needed === 'NONE' ? [] : needed;
  if (projectId !== undefined) await needsInProject(db, request.actor, projectId, permissions, environment);
  else if (permissions.length > 0) needs(request.actor, permissions);
}

/** Refuses an actor whose root role has none of the permissions. */
export function needs(actor: Actor, permissions: readonly Permission[]): void {
  if (!holds(actor, permissions)) throw noAccess(permissions);
}

/** Refuses an actor who has none of the permissions in the project; who may not read it learns only that it is not there. */
export async function needsInProject(
  db: Reader,
  actor: Actor,
  project: string,
  permissions: readonly Permission[],
  environment?: string,
): Promise<void> {
  const access = await findProjectAccess(db, actor, project, permissions, environment ?? null);
  if (!access?.readable) throw notFound(`Project ${project}`);
  if (permissions.length > 0 && !access.permitted && !holds(actor, permissions))
    throw noAccess(permissions, environment);
}

export const holds = (actor: Actor, permissions: readonly Permission[]): boolean =>
  actor.isAdmin || permissions.some(permission => actor.rootPermissions.includes(permission));
