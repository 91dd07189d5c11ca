import type { FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { ApiError, authenticationRequired, noAccess, notFound } from '../../../plane/src/platform/errors.ts';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { hashToken, isForged, readToken } from '../../../plane/src/platform/token.ts';
import { type Actor, ADMIN_TOKEN_USER_ID, type Credential, nameOfAdminToken } from '../platform/actor.ts';
import type { Db, Reader } from '../platform/db/database.ts';
import { isProxyPath } from '../platform/http/output/errors.ts';
import { readClient } from './client.ts';
import { readSessionCookie } from './cookie.ts';
import { type Permission, type ProjectPermission, placeOf, type RoutePermission } from './permissions.ts';
import { PUBLIC_BODY_LIMIT_BYTES, PUBLIC_ROUTES } from './public-routes.ts';
import { requireSameOrigin } from './same-origin.ts';
import {
  coveredBy,
  isCovered,
  requireEnvironmentsInScope,
  requireProjectInScope,
  requireRouteInScope,
} from './scope.ts';
import {
  type EndReason,
  type FoundUser,
  findAccount,
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

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor;
    /** On a route with `:featureName` and no `:projectId`: the project in which the permission was checked. */
    projectOfFeature: string;
    /** The key of the caller in rate limits: an account with all its tokens, or one admin token. Empty without a caller. */
    caller: string;
    /** The session of the request. Null for a request with a token. */
    sessionId: number | null;
  }
  interface FastifyInstance {
    /** The error that hides from a caller what is wrong with a request, such as a missing permission. */
    callerError: (request: FastifyRequest) => Promise<unknown>;
  }
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /** The permissions that the operation checks, where the guard cannot. Published instead of `permission`. */
    checkedPermission?: Permission[];
    /** The operation checks permissions that depend on its input. */
    checksPermissions?: true;
    /** The operation changes nothing, whatever its method is. */
    isQuery?: true;
  }
}

const MAX_TOKEN_LENGTH = 512;

/**
 * The prefix of tokens with a scope. Servers of an older version, which do not know scopes, reject such a token instead of
 * ignoring its scope.
 */
export const SCOPED_PREFIX = 'scoped:';

/** Authenticates every request. Every route declares a permission or is in the list of public routes. */
export function installAuthentication(app: App, db: Db, publicUrl: string): void {
  const countEnded = endedTokenMetric(app);
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
    // Inside the API, only authenticated callers learn that a path does not exist.
    if (route === undefined && (!request.url.startsWith('/api/') || isProxyPath(request.url))) return;
    request.actor = await authenticate(db, request, publicUrl, countEnded);
    request.caller ||= `account ${request.actor.userId}`;
  });
  // The router rejects a malformed path before there is a route, so no hook runs.
  app.decorate('callerError', async request => {
    if (!request.url.startsWith('/api/') || isProxyPath(request.url)) return undefined;
    return await authenticate(db, request, publicUrl, countEnded).then(
      () => undefined,
      (error: unknown) => error,
    );
  });
}

/** Checks the permission that a route declares. The path parameters must be valid, because they are sent to the database. */
export function installAuthorization(app: App, db: Db): void {
  app.addHook('onRequest', async request => {
    const { actor, method, params, routeOptions } = request;
    if (actor === undefined || routeOptions.url === undefined) return;
    const {
      permission = 'NONE',
      checkedPermission,
      checksPermissions,
      isQuery,
      onlyReads,
    } = routeOptions.config;
    requireRouteInScope(actor, {
      url: routeOptions.url,
      permission,
      checkedPermission,
      checksPermissions,
      onlyReads: method === 'GET' || method === 'HEAD' || isQuery === true || onlyReads === true,
    });
    request.projectOfFeature =
      (await authorize(db, actor, permission, params as Record<string, string | undefined>)) ?? '';
  });
}

/** Identifies the caller by the token in the Authorization header or, without one, by the session cookie. */
async function authenticate(
  db: Db,
  request: FastifyRequest,
  publicUrl: string,
  countEnded: CountEnded,
): Promise<Actor> {
  const token = readToken(request.headers);
  if (token === undefined) return await authenticateSession(db, request, publicUrl);
  if (isMalformed(token)) throw authenticationRequired('malformed');
  return token.startsWith('user:') || token.startsWith(SCOPED_PREFIX)
    ? await authenticateUser(db, request, token, countEnded)
    : await authenticateApiToken(db, request, token, countEnded);
}

/** Counts and logs the use of a revoked or expired token: somebody still has it, or has found it. */
type CountEnded = (request: FastifyRequest, kind: 'api' | 'personal', reason: EndReason, id: number) => void;

function endedTokenMetric(app: App): CountEnded {
  const uses = new Counter({
    name: 'halyard_revoked_token_uses_total',
    help: 'Requests with a token that was revoked or has expired, by kind of token (api, personal) and reason',
    labelNames: ['kind', 'reason'],
    registers: [],
  });
  // The registry is created after the guard, which must come before all routes.
  app.addHook('onReady', async () => app.metrics.registerMetric(uses));
  return (request, kind, reason, id) => {
    uses.inc({ kind, reason });
    request.log.warn({ kind, reason, tokenId: id, ip: request.ip }, 'expired or revoked token rejected');
  };
}

const isMalformed = (secret: string): boolean => secret.length > MAX_TOKEN_LENGTH || isForged(secret);

async function authenticateSession(db: Db, request: FastifyRequest, publicUrl: string): Promise<Actor> {
  const secret = readSessionCookie(request, publicUrl) ?? '';
  if (secret === '') throw authenticationRequired('nothing');
  if (isMalformed(secret)) throw authenticationRequired('session');
  requireSameOrigin(request, publicUrl);
  const user = await findSession(db, hashToken(secret));
  if (!user) throw authenticationRequired('session');
  if (user.seenLongAgo) recordUse(db, request, 'sessions', user.credentialId);
  request.sessionId = user.credentialId;
  return asActor(user, 'sessions', request.ip);
}

async function authenticateUser(
  db: Db,
  request: FastifyRequest,
  token: string,
  countEnded: CountEnded,
): Promise<Actor> {
  const hash = hashToken(token);
  const user = await findPersonalToken(db, hash);
  if (!user || user.ended) {
    const id = user ? user.credentialId : await findRevokedToken(db, hash);
    const reason = user?.ended ?? 'revoked';
    if (id !== undefined && reason !== 'stale') countEnded(request, 'personal', reason, id);
    throw authenticationRequired('token');
  }
  if (user.seenLongAgo) recordUse(db, request, 'personal_access_tokens', user.credentialId);
  const actor = asActor(user, 'personal_access_tokens', request.ip);
  const client = readClient(request.headers);
  const { credentialId: id, tokenName: name, isAgent, scope } = user;
  return {
    ...actor,
    token: { id, name, isAgent },
    ...(client !== undefined && { client }),
    ...(scope !== null && { isAdmin: false, scope: { ...scope, ownerIsAdmin: actor.isAdmin } }),
  };
}

const asActor = (user: FoundUser, table: Credential['table'], ip: string): Actor => ({
  ...accountAsActor(user),
  ip,
  credential: { table, id: user.credentialId },
});

const accountAsActor = ({
  kind,
  userId,
  name,
  rootPermissions,
}: Omit<FoundUser, 'credentialId' | 'seenLongAgo'>): Actor => ({
  kind,
  userId,
  name,
  ip: null,
  isAdmin: rootPermissions.includes('ADMIN'),
  rootPermissions,
});

/** A user or service account as the actor of a request, and whether it is active. Inactive accounts cannot send requests. */
export async function findActor(
  db: Reader,
  userId: number,
): Promise<{ actor: Actor; isActive: boolean } | undefined> {
  const account = await findAccount(db, userId);
  return account && { actor: accountAsActor(account), isActive: account.isActive };
}

async function authenticateApiToken(
  db: Db,
  request: FastifyRequest,
  token: string,
  countEnded: CountEnded,
): Promise<Actor> {
  const found = await findApiToken(db, hashToken(token));
  if (found?.ended) countEnded(request, 'api', found.ended, found.id);
  if (!found || found.ended) throw authenticationRequired('token');
  if (found.seenLongAgo) recordUse(db, request, 'api_tokens', found.id);
  if (found.type !== 'admin') {
    throw new ApiError(
      'NoAccessError',
      `A ${found.type} token is for SDKs only. Call the admin API with an admin token or a personal access token.`,
    );
  }
  request.caller = `admin token ${found.id}`;
  const client = readClient(request.headers);
  return {
    kind: 'admin-token',
    userId: ADMIN_TOKEN_USER_ID,
    name: nameOfAdminToken(found.name),
    ip: request.ip,
    isAdmin: true,
    rootPermissions: ['ADMIN'],
    credential: { table: 'api_tokens', id: found.id },
    ...(client !== undefined && { client }),
  };
}

/** Not awaited: the request must neither wait for this write nor fail with it. */
function recordUse(db: Db, request: FastifyRequest, table: Credential['table'], id: number): void {
  markSeen(db, table, id).catch(error => request.log.warn({ err: error }, 'update of last use failed'));
}

/**
 * Rejects an actor that lacks the permission of an operation, in the project and environment that its parameters name. If they name a
 * feature and no project, the project of the feature is returned.
 */
export async function authorize(
  db: Reader,
  actor: Actor,
  permission: RoutePermission,
  { projectId, environment, featureName }: Record<string, string | undefined>,
): Promise<string | undefined> {
  const permissions = permission === 'NONE' ? [] : permission;
  if (projectId !== undefined) await requireInProject(db, actor, projectId, permissions, environment);
  else if (featureName !== undefined) return await requireForFeature(db, actor, featureName, permissions);
  else if (permissions.length > 0) requirePermission(actor, permissions);
  return undefined;
}

export type Decision = 'allowed' | 'lacks-permission' | 'cannot-read-project';

/** The guard's decision about a request that requires the permission in the given scope, without sending the request. */
export async function decide(
  db: Reader,
  actor: Actor,
  permission: RoutePermission,
  place: { projectId?: string; environment?: string },
): Promise<Decision> {
  try {
    await authorize(db, actor, permission, place);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.name === 'NotFoundError' ? 'cannot-read-project' : 'lacks-permission';
  }
}

/** Rejects an actor whose root role has none of the permissions. */
export function requirePermission(actor: Actor, permissions: readonly Permission[]): void {
  const covered = coveredBy(actor, permissions, {});
  if (!ownerHas(actor, covered)) throw noAccess(permissions);
}

/** Rejects an actor with none of the permissions in the project. An actor who cannot read the project gets 404. */
export async function requireInProject(
  db: Reader,
  actor: Actor,
  project: string,
  permissions: readonly Permission[],
  environment?: string,
): Promise<void> {
  requireProjectInScope(actor, project);
  const covered = coveredBy(actor, permissions, { project, environment });
  const access = await findProjectAccess(db, actor, project, covered, environment ?? null);
  if (!access?.readable) throw notFound(`Project "${project}"`);
  rejectUnlessPermitted(access, actor, covered, project, environment);
}

/**
 * The same for a feature whose project is not in the path. Returns that project, and the operation must look for the feature
 * there, because the feature can meanwhile move to a project where the actor has no permission.
 */
async function requireForFeature(
  db: Reader,
  actor: Actor,
  featureName: string,
  permissions: readonly Permission[],
): Promise<string> {
  const access = await findFeatureAccess(db, actor, featureName, permissions);
  if (!access?.readable) throw notFound(`Feature "${featureName}"`);
  if (actor.scope) await requireInProject(db, actor, access.project, permissions);
  else rejectUnlessPermitted(access, actor, permissions, access.project);
  return access.project;
}

/** Rejects an actor who lacks the permission in one of the environments of the project. The error names them. */
export async function requireInEnvironments(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<void> {
  requireEnvironmentsInScope(actor, environments);
  for (const environment of environments) coveredBy(actor, [permission], { project, environment });
  if (ownerHas(actor, [permission])) return;
  const lacking = await listEnvironmentsWithout(db, actor, project, permission, environments);
  if (lacking.length > 0) throw noAccess([permission], { project, environments: lacking });
}

/** The environments of the project in which the actor lacks the permission. */
export async function environmentsWithout(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<string[]> {
  const [covered, others] = [true, false].map(wanted =>
    environments.filter(environment => isCovered(actor, permission, { project, environment }) === wanted),
  ) as [string[], string[]];
  if (covered.length === 0 || ownerHas(actor, [permission])) return others;
  return [...others, ...(await listEnvironmentsWithout(db, actor, project, permission, covered))];
}

function rejectUnlessPermitted(
  { permitted }: ProjectAccess,
  actor: Actor,
  permissions: readonly Permission[],
  project: string,
  environment?: string,
): void {
  if (permissions.length === 0 || permitted || ownerHas(actor, permissions)) return;
  throw noAccess(permissions, placeOf(permissions, project, environment));
}

/** Whether the actor has one of the permissions on the instance. */
export const hasPermission = (actor: Actor, permissions: readonly Permission[]): boolean =>
  ownerHas(
    actor,
    permissions.filter(permission => isCovered(actor, permission, {})),
  );

/** Whether the account of the actor has one of the permissions on the instance, without regard to the scope of its token. */
export const ownerHas = (actor: Actor, permissions: readonly Permission[]): boolean =>
  permissions.length > 0 &&
  (actor.isAdmin ||
    actor.scope?.ownerIsAdmin === true ||
    permissions.some(permission => actor.rootPermissions.includes(permission)));
