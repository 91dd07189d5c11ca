import { expiryViolations, requireFutureExpiry } from '../../access/expiry.ts';
import { requirePermission } from '../../access/guard.ts';
import { hashToken, hintOf, newToken } from '../../access/token.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { badData, exceedsLimit, type Violation } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { tokenPermission } from './permission.ts';
import { type ApiToken, DEFAULT_ENVIRONMENT, type NewApiToken } from './schema.ts';
import { bindToProjects, countTokens, findNamed, insertToken } from './store.ts';

const ALL = '*';

/** Creates an SDK token. Only the returned value has the secret. */
export async function createApiToken(
  current: Change,
  input: NewApiToken,
  most = Number.POSITIVE_INFINITY,
): Promise<ApiToken> {
  requirePermission(current.actor, [tokenPermission('CREATE', input.type)]);
  return await issueSdkToken(current, input, input.projects ?? [input.project ?? ALL], most);
}

/** Creates an SDK token for one project. Rejects a body that names another project. */
export async function createProjectToken(
  current: Change,
  project: string,
  input: NewApiToken,
  most = Number.POSITIVE_INFINITY,
): Promise<ApiToken> {
  const others = (input.projects ?? [input.project ?? project]).filter(one => one !== project);
  if (others.length > 0) {
    throw badData([{ message: `a token made here is for ${project} alone`, path: '/body/projects' }]);
  }
  return await issueSdkToken(current, input, [project], most);
}

async function issueSdkToken(
  { tx, actor, record }: Change,
  input: NewApiToken,
  requested: string[],
  most: number,
): Promise<ApiToken> {
  const name = input.tokenName ?? input.username;
  if (name === undefined) throw badData([NO_NAME]);
  requireFutureExpiry(input.expiresAt);
  const projects = requested.includes(ALL) ? undefined : [...new Set(requested)];
  const environment = input.environment ?? DEFAULT_ENVIRONMENT;
  const secret = newToken(input.type, `${front(projects)}:${environment}.`);

  if ((await countTokens(tx)) >= most) {
    throw exceedsLimit(`There are at most ${most} API tokens. Revoke one first.`);
  }
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
  if (!token) throw new Error('A new random token is known already');
  if (projects) await bind(tx, actor, token.id, projects);
  const created = { ...token, projects: projects ?? [ALL] };
  record({ type: 'api-token-created', ...scopeOf(created), data: asEventData(created) });
  return { ...created, secret };
}

/** What is wrong with a token to be created, as far as its fields are given: what it names must exist. */
export async function tokenViolations(
  db: Reader,
  actor: Actor,
  { environment, project, projects, tokenName, username, expiresAt }: Partial<NewApiToken>,
): Promise<Violation[]> {
  const wanted = (projects ?? (project === undefined ? [] : [project])).filter(one => one !== ALL);
  const found = await findNamed(db, actor, environment ?? DEFAULT_ENVIRONMENT, wanted);
  return [
    ...(tokenName === undefined && username === undefined ? [NO_NAME] : []),
    ...(found.environment ? [] : [unknownEnvironment(environment ?? DEFAULT_ENVIRONMENT)]),
    ...unknownProjects(wanted, found.projects),
    ...expiryViolations(expiresAt),
  ];
}

const unknownEnvironment = (name: string): Violation => ({
  message: `environment ${name} does not exist`,
  path: '/body/environment',
});

const NO_NAME = { message: 'tokenName is required', path: '/body/tokenName' };

function unknownProjects(wanted: string[], found: string[]): Violation[] {
  const there = new Set(found);
  return wanted
    .filter(project => !there.has(project))
    .map(project => ({ message: `project ${project} does not exist`, path: '/body/projects' }));
}

/** What SDKs and proxies read off the token: its project, * for all, [] for several. */
const front = (projects: string[] | undefined): string =>
  projects === undefined ? ALL : projects.length === 1 ? String(projects[0]) : '[]';

async function bind(tx: Tx, actor: Actor, tokenId: number, projects: string[]): Promise<void> {
  const bound = await bindToProjects(tx, actor, tokenId, projects);
  const details = unknownProjects(projects, bound);
  if (details.length > 0) throw badData(details);
}

/** An event about a token belongs to a project only if the token is for that one alone. */
export function scopeOf(token: ApiToken): { project: string | null; environment: string | null } {
  const [first, ...others] = token.projects;
  const single = first !== undefined && first !== ALL && others.length === 0;
  return { project: single ? first : null, environment: token.environment };
}

/** Everything but the secret, what follows from the rest, and the time of last use, which is no part of the state. */
export function asEventData({
  secret: _,
  seenAt: __,
  secure: ___,
  identifier: ____,
  project: _____,
  ...token
}: ApiToken): object {
  return token;
}
