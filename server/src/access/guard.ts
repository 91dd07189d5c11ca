import type { FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { type Actor, ADMIN_TOKEN_USER_ID } from '../platform/actor.ts';
import type { Db, Reader } from '../platform/db/database.ts';
import { ApiError, authenticationRequired, noAccess, notFound } from '../platform/errors.ts';
import type { App } from '../platform/http/app.ts';
import { isSdkPath } from '../platform/http/errors.ts';
import { readSessionCookie } from './cookie.ts';
import {
  isForEnvironments,
  type Permission,
  type ProjectPermission,
  type RoutePermission,
} from './permissions.ts';
import { PUBLIC_BODY_LIMIT_BYTES, PUBLIC_ROUTES } from './public-routes.ts';
import { needsOwnPage } from './same-origin.ts';
import {
  type Credential,
  type Ended,
  type FoundUser,
  findApiToken,
  findFeatureAccess,
  findPersonalToken,
  findProjectAccess,
  findRevokedToken,
  findSession,
  listEnvironmentsWithout,
  markSeen,
  type ProjectAccess,
} from './store.ts';
import { hashToken, isForged } from './token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor;
    /** Of a route with `:featureName` and no `:projectId`: the project in which the permission was found. */
    projectOfFeature: string;
    /** Who is counted for rate limits: an account with all its tokens, or one admin token; empty: nobody is known. */
    caller: string;
    /** The session of the caller; null for one who came with a token. */
    sessionId: number | null;
  }
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /** What the operation itself checks, where the guard cannot; published in place of `permission`. */
    checkedPermission?: Permission[];
  }
}

const MAX_TOKEN_LENGTH = 512;

/** Lets nobody past who is not allowed to: every route declares a permission or stands in the public list. */
export function installGuard(app: App, db: Db, publicUrl: string): void {
  const noteEnded = endedTokenMetric(app);
  app.decorateRequest('actor');
  app.decorateRequest('projectOfFeature', '');
  app.decorateRequest('sessionId', null);
  app.decorateRequest('caller', '');

  app.addHook('onRoute', route => {
    if (PUBLIC_ROUTES.has(route.url)) route.bodyLimit = PUBLIC_BODY_LIMIT_BYTES;
    if (route.config?.permission !== undefined || PUBLIC_ROUTES.has(route.url)) return;
    throw new Error(
      `${route.method} ${route.url} declares no permission and is not in the list of public routes.`,
    );
  });

  app.addHook('onRequest', async request => {
    const route = request.routeOptions.url;
    if (route !== undefined && PUBLIC_ROUTES.has(route)) return;
    // An unknown address outside the API has nothing to guard; inside, only those who may ask learn that it is unknown.
    if (route === undefined && (!request.url.startsWith('/api/') || isSdkPath(request.url))) return;
    request.actor = await authenticate(db, request, publicUrl, noteEnded);
    request.caller ||= `account ${request.actor.userId}`;
    if (route !== undefined) await authorize(db, request);
  });
}

/** By the Authorization header; only without one by the cookie, so that a token is never mixed with a session. */
async function authenticate(
  db: Db,
  request: FastifyRequest,
  publicUrl: string,
  noteEnded: NoteEnded,
): Promise<Actor> {
  const { authorization } = request.headers;
  if (authorization === undefined) return await authenticateSession(db, request, publicUrl);
  const token = authorization.replace(/^bearer /i, '').trim();
  refuseMalformed(token);
  return token.startsWith('user:')
    ? await authenticateUser(db, request, token, noteEnded)
    : await authenticateApiToken(db, request, token, noteEnded);
}

/** Tells that a token was used after its end: somebody still has it, or has found it. */
type NoteEnded = (
  request: FastifyRequest,
  kind: 'api' | 'personal',
  ended: NonNullable<Ended>,
  id: number,
) => void;

function endedTokenMetric(app: App): NoteEnded {
  const uses = new Counter({
    name: 'halyard_revoked_token_uses_total',
    help: 'Requests with a token that was revoked or has expired, by kind of token (api, personal) and reason',
    labelNames: ['kind', 'reason'],
    registers: [],
  });
  // The registry is made after the guard, which must come before all routes.
  app.addHook('onReady', async () => app.metrics.registerMetric(uses));
  return (request, kind, reason, id) => {
    uses.inc({ kind, reason });
    request.log.warn({ kind, reason, tokenId: id, ip: request.ip }, 'a token was used after its end');
  };
}

function refuseMalformed(secret: string): void {
  if (secret === '' || secret.length > MAX_TOKEN_LENGTH || isForged(secret)) throw authenticationRequired();
}

async function authenticateSession(db: Db, request: FastifyRequest, publicUrl: string): Promise<Actor> {
  const secret = readSessionCookie(request, publicUrl) ?? '';
  refuseMalformed(secret);
  needsOwnPage(request, publicUrl);
  const user = await findSession(db, hashToken(secret));
  if (!user) throw authenticationRequired();
  if (user.seenLongAgo) noteUse(db, request, 'sessions', user.credentialId);
  request.sessionId = user.credentialId;
  return asActor(user, 'sessions', request.ip);
}

async function authenticateUser(
  db: Db,
  request: FastifyRequest,
  token: string,
  noteEnded: NoteEnded,
): Promise<Actor> {
  const hash = hashToken(token);
  const user = await findPersonalToken(db, hash);
  if (!user || user.ended) {
    const id = user ? user.credentialId : await findRevokedToken(db, hash);
    if (id !== undefined) noteEnded(request, 'personal', user?.ended ?? 'revoked', id);
    throw authenticationRequired();
  }
  if (user.seenLongAgo) noteUse(db, request, 'personal_access_tokens', user.credentialId);
  return asActor(user, 'personal_access_tokens', request.ip);
}

const asActor = (
  { credentialId, kind, userId, name, rootPermissions }: FoundUser,
  table: NonNullable<Actor['credential']>['table'],
  ip: string,
): Actor => ({
  kind,
  userId,
  name,
  ip,
  isAdmin: rootPermissions.includes('ADMIN'),
  rootPermissions,
  credential: { table, id: credentialId },
});

async function authenticateApiToken(
  db: Db,
  request: FastifyRequest,
  token: string,
  noteEnded: NoteEnded,
): Promise<Actor> {
  const found = await findApiToken(db, hashToken(token));
  if (found?.ended) noteEnded(request, 'api', found.ended, found.id);
  if (!found || found.ended) throw authenticationRequired();
  if (found.seenLongAgo) noteUse(db, request, 'api_tokens', found.id);
  if (found.type !== 'admin') {
    throw new ApiError(
      'NoAccessError',
      `A ${found.type} token is for SDKs only. The admin API needs an admin token or a personal access token.`,
    );
  }
  request.caller = `admin token ${found.id}`;
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
function noteUse(db: Db, request: FastifyRequest, table: Credential, id: number): void {
  markSeen(db, table, id).catch(error => request.log.warn({ err: error }, 'last use was not noted'));
}

async function authorize(db: Db, request: FastifyRequest): Promise<void> {
  const needed = request.routeOptions.config.permission ?? 'NONE';
  const { projectId, environment, featureName } = request.params as Record<string, string | undefined>;
  const permissions = needed === 'NONE' ? [] : needed;
  if (projectId !== undefined) await needsInProject(db, request.actor, projectId, permissions, environment);
  else if (featureName !== undefined)
    request.projectOfFeature = await needsForFeature(db, request.actor, featureName, permissions);
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
  refuseUnlessPermitted(access, actor, permissions, environment);
}

/**
 * The same for a feature whose project the address does not name. Returns that project: who goes on must look for the
 * feature there, because it may be moved meanwhile to one where the actor has no rights.
 */
async function needsForFeature(
  db: Reader,
  actor: Actor,
  featureName: string,
  permissions: readonly Permission[],
): Promise<string> {
  const access = await findFeatureAccess(db, actor, featureName, permissions);
  if (!access?.readable) throw notFound(`Feature ${featureName}`);
  refuseUnlessPermitted(access, actor, permissions);
  return access.project;
}

/** Refuses an actor who has not the permission in each of the environments of the project, naming those that lack it. */
export async function needsInEnvironments(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<void> {
  if (holds(actor, [permission])) return;
  const lacking = await listEnvironmentsWithout(db, actor, project, permission, environments);
  if (lacking.length > 0) throw noAccess([permission], lacking.join(', '));
}

/** Those of the environments of the project in which the actor has not the permission. */
export async function environmentsWithout(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<string[]> {
  if (environments.length === 0 || holds(actor, [permission])) return [];
  return await listEnvironmentsWithout(db, actor, project, permission, environments);
}

function refuseUnlessPermitted(
  { permitted }: ProjectAccess,
  actor: Actor,
  permissions: readonly Permission[],
  environment?: string,
): void {
  if (permissions.length === 0 || permitted || holds(actor, permissions)) return;
  throw noAccess(permissions, permissions.some(isForEnvironments) ? environment : undefined);
}

export const holds = (actor: Actor, permissions: readonly Permission[]): boolean =>
  actor.isAdmin || permissions.some(permission => actor.rootPermissions.includes(permission));
