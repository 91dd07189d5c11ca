import { ApiError, authenticationRequired, noAccess, notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { hashToken, isForged, readToken } from '@halyard/plane/platform/token.ts';
import type { FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { type Actor, ADMIN_TOKEN_USER_ID, adminTokenName, type Credential } from '../platform/actor.ts';
import type { Db, Reader } from '../platform/db/database.ts';
import { isProxyPath } from '../platform/http/output/errors.ts';
import { readClient } from './client.ts';
import { readSessionCookie } from './cookie.ts';
import {
  getPermissionScope,
  type Permission,
  type ProjectPermission,
  type RoutePermission,
} from './permissions.ts';
import { PUBLIC_BODY_LIMIT_BYTES, PUBLIC_ROUTES } from './public-routes.ts';
import { requireSameOrigin } from './same-origin.ts';
import {
  isCovered,
  requireEnvironmentsInScope,
  requireProjectInScope,
  requireRouteInScope,
  selectCoveredPermissions,
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
  listEnvironmentsWithoutPermission,
  markSeen,
  type ProjectAccess,
} from './store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor;
    /** On a route with `:featureName` but no `:projectId`, the project in which the guard checked the permission. */
    projectOfFeature: string;
    /**
     * Identifies the caller in rate limits. An account is one caller, no matter which of its tokens it uses, and each admin token is
     * one. Empty on public routes.
     */
    caller: string;
    /** The id of the request's session, or null for a request with a token. */
    sessionId: number | null;
  }
  interface FastifyInstance {
    /**
     * Returns the authentication error of an API request that the router rejected before any hook ran, or undefined if there is
     * none, so that only authenticated callers learn why the path was rejected.
     */
    callerError: (request: FastifyRequest) => Promise<unknown>;
  }
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /** The permissions that the operation checks because the guard cannot. They are published instead of `permission`. */
    checkedPermission?: Permission[];
    /** Set if the operation itself checks permissions that depend on the input. */
    checksPermissions?: true;
    /** Set if the operation changes nothing, even if its method suggests otherwise. */
    isQuery?: true;
  }
}

const MAX_TOKEN_LENGTH = 512;

/**
 * The prefix of tokens with a scope. Because of it, servers of an older version, which do not know scopes, reject the token rather
 * than ignore its scope.
 */
export const SCOPED_PREFIX = 'scoped:';

/** Authenticates every request. Throws if a route neither declares a permission nor is in the list of public routes. */
export function installAuthentication(app: App, db: Db, publicUrl: string): void {
  const countEnded = makeEndedTokenCounter(app);
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
    // Below /api/, only authenticated callers learn that a path does not exist.
    if (route === undefined && (!request.url.startsWith('/api/') || isProxyPath(request.url))) return;
    request.actor = await authenticate(db, request, publicUrl, countEnded);
    request.caller ||= `account ${request.actor.userId}`;
  });
  // The router rejects a malformed path before it chooses a route, so no hook runs.
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

/** Counts and logs the use of a revoked or expired token, because it means that somebody still uses the token or has found it. */
type CountEnded = (request: FastifyRequest, kind: 'api' | 'personal', reason: EndReason, id: number) => void;

function makeEndedTokenCounter(app: App): CountEnded {
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
  return makeActor(user, 'sessions', request.ip);
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
  const actor = makeActor(user, 'personal_access_tokens', request.ip);
  const client = readClient(request.headers);
  const { credentialId: id, tokenName: name, isAgent, scope } = user;
  return {
    ...actor,
    token: { id, name, isAgent },
    ...(client !== undefined && { client }),
    ...(scope !== null && { isAdmin: false, scope: { ...scope, ownerIsAdmin: actor.isAdmin } }),
  };
}

const makeActor = (user: FoundUser, table: Credential['table'], ip: string): Actor => ({
  ...makeAccountActor(user),
  ip,
  credential: { table, id: user.credentialId },
});

const makeAccountActor = ({
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

/** Returns a user or service account as an actor, and whether the account is active. Inactive accounts cannot send requests. */
export async function findActor(
  db: Reader,
  userId: number,
): Promise<{ actor: Actor; isActive: boolean } | undefined> {
  const account = await findAccount(db, userId);
  return account && { actor: makeAccountActor(account), isActive: account.isActive };
}

async function authenticateApiToken(
  db: Db,
  request: FastifyRequest,
  token: string,
  countEnded: CountEnded,
): Promise<Actor> {
  const apiToken = await findApiToken(db, hashToken(token));
  if (apiToken?.ended) countEnded(request, 'api', apiToken.ended, apiToken.id);
  if (!apiToken || apiToken.ended) throw authenticationRequired('token');
  if (apiToken.seenLongAgo) recordUse(db, request, 'api_tokens', apiToken.id);
  if (apiToken.type !== 'admin') {
    throw new ApiError(
      'NoAccessError',
      `A token of type "${apiToken.type}" cannot call the admin API. Use an admin token or a personal access token.`,
    );
  }
  request.caller = `admin token ${apiToken.id}`;
  const client = readClient(request.headers);
  return {
    kind: 'admin-token',
    userId: ADMIN_TOKEN_USER_ID,
    name: adminTokenName(apiToken.name),
    ip: request.ip,
    isAdmin: true,
    rootPermissions: ['ADMIN'],
    credential: { table: 'api_tokens', id: apiToken.id },
    ...(client !== undefined && { client }),
  };
}

/** Records the use of a credential. The write is not awaited, because the request must neither wait for it nor fail with it. */
function recordUse(db: Db, request: FastifyRequest, table: Credential['table'], id: number): void {
  markSeen(db, table, id).catch(error => request.log.warn({ err: error }, 'last-use update failed'));
}

/**
 * Rejects an actor who lacks the operation's permission in the project and environment that the parameters name. If they name a
 * feature but no project, returns the feature's project.
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

/** Returns what the guard would decide about a request that requires the permission in the project and environment. */
export async function previewDecision(
  db: Reader,
  actor: Actor,
  permission: RoutePermission,
  target: { projectId?: string; environment?: string },
): Promise<Decision> {
  try {
    await authorize(db, actor, permission, target);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.name === 'NotFoundError' ? 'cannot-read-project' : 'lacks-permission';
  }
}

/** Rejects an actor whose root role has none of the permissions. */
export function requirePermission(actor: Actor, permissions: readonly Permission[]): void {
  const coveredPermissions = selectCoveredPermissions(actor, permissions, {});
  if (!ownerHasPermission(actor, coveredPermissions)) throw noAccess(permissions);
}

/** Rejects an actor with none of the permissions in the project. If the actor cannot read the project, throws 404. */
export async function requireInProject(
  db: Reader,
  actor: Actor,
  project: string,
  permissions: readonly Permission[],
  environment?: string,
): Promise<void> {
  requireProjectInScope(actor, project);
  const coveredPermissions = selectCoveredPermissions(actor, permissions, { project, environment });
  const access = await findProjectAccess(db, actor, project, coveredPermissions, environment ?? null);
  if (!access?.readable) throw notFound(`Project "${project}"`);
  rejectUnlessPermitted(access, actor, coveredPermissions, project, environment);
}

/**
 * Like `requireInProject`, but for a feature whose project is not in the path. Returns the project that was checked. The
 * operation must look up the feature in that project, because in the meantime the feature may move to a project where the actor has
 * no permission.
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

/**
 * Rejects an actor who lacks the permission in at least one of the given environments. The error names those environments.
 */
export async function requireInEnvironments(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<void> {
  requireEnvironmentsInScope(actor, environments);
  for (const environment of environments)
    selectCoveredPermissions(actor, [permission], { project, environment });
  if (ownerHasPermission(actor, [permission])) return;
  const lackingEnvironments = await listEnvironmentsWithoutPermission(
    db,
    actor,
    project,
    permission,
    environments,
  );
  if (lackingEnvironments.length > 0)
    throw noAccess([permission], { project, environments: lackingEnvironments });
}

/** Returns the given environments of the project where the actor lacks the permission. */
export async function findForbiddenEnvironments(
  db: Reader,
  actor: Actor,
  project: string,
  permission: ProjectPermission,
  environments: string[],
): Promise<string[]> {
  const coveredEnvironments = environments.filter(environment =>
    isCovered(actor, permission, { project, environment }),
  );
  const otherEnvironments = environments.filter(environment => !coveredEnvironments.includes(environment));
  if (coveredEnvironments.length === 0 || ownerHasPermission(actor, [permission])) return otherEnvironments;
  return [
    ...otherEnvironments,
    ...(await listEnvironmentsWithoutPermission(db, actor, project, permission, coveredEnvironments)),
  ];
}

function rejectUnlessPermitted(
  { permitted }: ProjectAccess,
  actor: Actor,
  permissions: readonly Permission[],
  project: string,
  environment?: string,
): void {
  if (permissions.length === 0 || permitted || ownerHasPermission(actor, permissions)) return;
  throw noAccess(permissions, getPermissionScope(permissions, project, environment));
}

/** Returns whether the actor has one of the permissions on the instance. */
export const hasPermission = (actor: Actor, permissions: readonly Permission[]): boolean =>
  ownerHasPermission(
    actor,
    permissions.filter(permission => isCovered(actor, permission, {})),
  );

/**
 * Returns whether the actor's account has one of the permissions on the instance, regardless of the scope of the actor's token.
 */
export const ownerHasPermission = (actor: Actor, permissions: readonly Permission[]): boolean =>
  permissions.length > 0 &&
  (actor.isAdmin ||
    actor.scope?.ownerIsAdmin === true ||
    permissions.some(permission => actor.rootPermissions.includes(permission)));
