import {
  badData,
  exceedsLimit,
  quoteNames,
  unknownEnvironment,
  type Violation,
} from '@halyard/plane/platform/errors.ts';
import { ALL } from '@halyard/plane/platform/http/schema.ts';
import { getTokenHint, hashToken, newToken } from '@halyard/plane/platform/token.ts';
import { findPastExpiryViolations, requireFutureExpiry } from '../../access/expiry.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { canReadOwnSecrets, storeOwnSecret } from './own-secrets.ts';
import { getTokenPermission } from './permission.ts';
import { type ApiToken, DEFAULT_ENVIRONMENT, type NewApiToken } from './schema.ts';
import { bindToProjects, countTokens, findExistingScope, insertToken } from './store.ts';

/** Creates an SDK token. Only the returned value contains the secret, because the database stores a hash. */
export async function createApiToken(
  current: Change,
  input: NewApiToken,
  maxTokens = Number.POSITIVE_INFINITY,
  keyring: Keyring = [],
): Promise<ApiToken> {
  requirePermission(current.actor, [getTokenPermission('CREATE', input.type)]);
  const requestedProjects = input.projects ?? [input.project ?? ALL];
  const projects = requestedProjects.includes(ALL) ? undefined : [...new Set(requestedProjects)];
  return await issueSdkToken(current, input, projects, maxTokens, keyring);
}

/** Creates an SDK token for one project. Rejects a body that names a different project. */
export async function createProjectToken(
  current: Change,
  project: string,
  input: NewApiToken,
  maxTokens = Number.POSITIVE_INFINITY,
  keyring: Keyring = [],
): Promise<ApiToken> {
  const otherProjects = (input.projects ?? [input.project ?? project]).filter(id => id !== project);
  if (otherProjects.length > 0) {
    throw badData([
      {
        message: `a token for project "${project}" cannot cover ${quoteNames(otherProjects)}. Omit projects, or use POST /api/admin/api-tokens`,
        path: '/body/projects',
      },
    ]);
  }
  return await issueSdkToken(current, input, [project], maxTokens, keyring);
}

async function issueSdkToken(
  current: Change,
  input: NewApiToken,
  /** Undefined: all projects. */
  projects: string[] | undefined,
  maxTokens: number,
  keyring: Keyring,
): Promise<ApiToken> {
  const { tx, actor, record } = current;
  const name = input.tokenName ?? input.username;
  if (name === undefined) throw badData([NAME_REQUIRED]);
  const expiresAt = input.expiresAt ?? undefined;
  if (input.type === 'edge' && expiresAt !== undefined) throw badData([EXPIRY_NOT_ALLOWED]);
  requireFutureExpiry(expiresAt);
  const environment = input.environment ?? DEFAULT_ENVIRONMENT;
  const secret = newToken(input.type, `${getProjectPrefix(projects)}:${environment}.`);

  if ((await countTokens(tx)) >= maxTokens)
    throw exceedsLimit(`The instance already has ${maxTokens} API tokens, the maximum. Revoke one first.`);
  const storesSecret = await canReadOwnSecrets(current, keyring);
  const token = await insertToken(tx, actor, {
    hash: hashToken(secret),
    hint: getTokenHint(secret),
    type: input.type,
    name,
    environment,
    alias: input.alias ?? null,
    expiresAt: expiresAt ?? null,
    projects,
  });
  if (!token) throw new Error('A new random token already exists');
  if (projects) await bindToExistingProjects(tx, actor, token.id, projects);
  if (storesSecret) await storeOwnSecret(current, keyring, token.id, secret);
  const createdToken = { ...token, projects: projects ?? [ALL] };
  record({
    type: 'api-token-created',
    ...getEventScope(createdToken),
    data: apiTokenEventData(createdToken),
  });
  return { ...createdToken, secret };
}

/** Returns the violations of a new token without its invalid fields. Its environment and projects must exist. */
export async function findTokenViolations(
  db: Reader,
  actor: Actor,
  { type, environment, project, projects, tokenName, username, expiresAt }: Partial<NewApiToken>,
  invalid: ReadonlySet<string>,
): Promise<Violation[]> {
  const requestedProjects = (projects ?? (project === undefined ? [] : [project])).filter(
    projectId => projectId !== ALL,
  );
  const existing = await findExistingScope(db, actor, environment ?? DEFAULT_ENVIRONMENT, requestedProjects);
  return [
    ...(tokenName === undefined && username === undefined && !invalid.has('username') ? [NAME_REQUIRED] : []),
    ...(existing.environment ? [] : [environmentViolation(environment ?? DEFAULT_ENVIRONMENT)]),
    ...findUnknownProjects(requestedProjects, existing.projects),
    ...findPastExpiryViolations(expiresAt ?? undefined),
    ...(type === 'edge' && expiresAt != null ? [EXPIRY_NOT_ALLOWED] : []),
  ];
}

const environmentViolation = (name: string): Violation => ({
  message: unknownEnvironment(name),
  path: '/body/environment',
});

/** Edge tokens do not expire, because an edge whose token expired unnoticed would take down all its applications. */
export const EXPIRY_NOT_ALLOWED = {
  message:
    'a token of type "edge" does not expire. Omit expiresAt, and revoke the token when the edge is removed',
  path: '/body/expiresAt',
};

const NAME_REQUIRED = { message: 'tokenName is required', path: '/body/tokenName' };

function findUnknownProjects(requestedProjects: string[], existingIds: string[]): Violation[] {
  const existingProjects = new Set(existingIds);
  return requestedProjects
    .filter(project => !existingProjects.has(project))
    .map(project => ({ message: `project "${project}" does not exist`, path: '/body/projects' }));
}

/** Returns the start of the token, from which SDKs and proxies read the project: an id, * for all projects or [] for several. */
const getProjectPrefix = (projects: string[] | undefined): string =>
  projects === undefined ? ALL : projects.length === 1 ? String(projects[0]) : '[]';

async function bindToExistingProjects(
  tx: Tx,
  actor: Actor,
  tokenId: number,
  projects: string[],
): Promise<void> {
  const boundProjects = await bindToProjects(tx, actor, tokenId, projects);
  const details = findUnknownProjects(projects, boundProjects);
  if (details.length > 0) throw badData(details);
}

/** Returns the scope of an event about a token. The event has a project only if the token is for exactly one project. */
export function getEventScope(token: ApiToken): { project: string | null; environment: string | null } {
  const [first, ...others] = token.projects;
  const isSingle = first !== undefined && first !== ALL && others.length === 0;
  return { project: isSingle ? first : null, environment: token.environment };
}

/** Returns the token as events show it, without the secret, the derived fields and the time of last use. */
export function apiTokenEventData({
  secret: _,
  seenAt: __,
  enrolment: ______,
  secure: ___,
  identifier: ____,
  project: _____,
  ...token
}: ApiToken): object {
  return token;
}
