import { badData, exceedsLimit, quoted, type Violation } from '../../../../plane/src/platform/errors.ts';
import { ALL } from '../../../../plane/src/platform/http/schema.ts';
import { hashToken, hintOf, newToken } from '../../../../plane/src/platform/token.ts';
import { expiryViolations, requireFutureExpiry } from '../../access/expiry.ts';
import { requirePermission } from '../../access/guard.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { keepOwnSecret, readsOwnSecrets } from './own-secrets.ts';
import { tokenPermission } from './permission.ts';
import { type ApiToken, DEFAULT_ENVIRONMENT, type NewApiToken } from './schema.ts';
import { bindToProjects, countTokens, findExisting, insertToken } from './store.ts';

/** Creates an SDK token. Only the returned value has the secret. */
export async function createApiToken(
  current: Change,
  input: NewApiToken,
  most = Number.POSITIVE_INFINITY,
  keyring: Keyring = [],
): Promise<ApiToken> {
  requirePermission(current.actor, [tokenPermission('CREATE', input.type)]);
  const requested = input.projects ?? [input.project ?? ALL];
  const projects = requested.includes(ALL) ? undefined : [...new Set(requested)];
  return await issueSdkToken(current, input, projects, most, keyring);
}

/** Creates an SDK token for one project. Rejects a body that names a different project. */
export async function createProjectToken(
  current: Change,
  project: string,
  input: NewApiToken,
  most = Number.POSITIVE_INFINITY,
  keyring: Keyring = [],
): Promise<ApiToken> {
  const others = (input.projects ?? [input.project ?? project]).filter(one => one !== project);
  if (others.length > 0) {
    throw badData([
      {
        message: `a token for project "${project}" cannot cover ${quoted(others)}. Omit projects, or use POST /api/admin/api-tokens`,
        path: '/body/projects',
      },
    ]);
  }
  return await issueSdkToken(current, input, [project], most, keyring);
}

async function issueSdkToken(
  current: Change,
  input: NewApiToken,
  /** Undefined: all projects. */
  projects: string[] | undefined,
  most: number,
  keyring: Keyring,
): Promise<ApiToken> {
  const { tx, actor, record } = current;
  const name = input.tokenName ?? input.username;
  if (name === undefined) throw badData([NO_NAME]);
  requireFutureExpiry(input.expiresAt);
  const environment = input.environment ?? DEFAULT_ENVIRONMENT;
  const secret = newToken(input.type, `${projectPrefix(projects)}:${environment}.`);

  if ((await countTokens(tx)) >= most) {
    throw exceedsLimit(`The instance already has ${most} API tokens, the maximum. Revoke one first.`);
  }
  const keepsSecret = await readsOwnSecrets(current, keyring);
  const token = await insertToken(tx, actor, {
    hash: hashToken(secret),
    hint: hintOf(secret),
    type: input.type,
    name,
    environment,
    alias: input.alias ?? null,
    expiresAt: input.expiresAt ?? null,
    projects,
  });
  if (!token) throw new Error('A new random token already exists');
  if (projects) await bindToExisting(tx, actor, token.id, projects);
  if (keepsSecret) await keepOwnSecret(current, keyring, token.id, secret);
  const created = { ...token, projects: projects ?? [ALL] };
  record({ type: 'api-token-created', ...scopeOf(created), data: apiTokenEventData(created) });
  return { ...created, secret };
}

/** The violations of a new token. Its environment and projects must exist. */
export async function tokenViolations(
  db: Reader,
  actor: Actor,
  { type, environment, project, projects, tokenName, username, expiresAt }: Partial<NewApiToken>,
): Promise<Violation[]> {
  const requested = (projects ?? (project === undefined ? [] : [project])).filter(one => one !== ALL);
  const found = await findExisting(db, actor, environment ?? DEFAULT_ENVIRONMENT, requested);
  return [
    ...(tokenName === undefined && username === undefined ? [NO_NAME] : []),
    ...(found.environment ? [] : [unknownEnvironment(environment ?? DEFAULT_ENVIRONMENT)]),
    ...unknownProjects(requested, found.projects),
    ...expiryViolations(expiresAt),
    ...(type === 'edge' && expiresAt !== undefined ? [NO_EXPIRY] : []),
  ];
}

const unknownEnvironment = (name: string): Violation => ({
  message: `environment "${name}" does not exist`,
  path: '/body/environment',
});

/** An edge that stops because somebody forgot to replace its token is an outage of all its applications. */
export const NO_EXPIRY = {
  message:
    'a token of type "edge" does not expire. Omit expiresAt, and revoke the token when the edge is removed',
  path: '/body/expiresAt',
};

const NO_NAME = { message: 'tokenName is required', path: '/body/tokenName' };

function unknownProjects(requested: string[], found: string[]): Violation[] {
  const existing = new Set(found);
  return requested
    .filter(project => !existing.has(project))
    .map(project => ({ message: `project "${project}" does not exist`, path: '/body/projects' }));
}

/** The start of the token, which SDKs and proxies read: its project, * for all projects, [] for several. */
const projectPrefix = (projects: string[] | undefined): string =>
  projects === undefined ? ALL : projects.length === 1 ? String(projects[0]) : '[]';

async function bindToExisting(tx: Tx, actor: Actor, tokenId: number, projects: string[]): Promise<void> {
  const bound = await bindToProjects(tx, actor, tokenId, projects);
  const details = unknownProjects(projects, bound);
  if (details.length > 0) throw badData(details);
}

/** An event about a token has a project only if the token is for exactly one project. */
export function scopeOf(token: ApiToken): { project: string | null; environment: string | null } {
  const [first, ...others] = token.projects;
  const single = first !== undefined && first !== ALL && others.length === 0;
  return { project: single ? first : null, environment: token.environment };
}

/** The data of a token in events: no secret, no derived fields, and no time of last use, which is not part of the state. */
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
