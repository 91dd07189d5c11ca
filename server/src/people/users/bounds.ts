import { badData, quoteNames, type Violation } from '@halyard/plane/platform/errors.ts';
import { sql } from 'kysely';
import { findUnknownProjects } from '../../access/visibility.ts';
import type { Actor, TokenScope } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { NewPersonalToken } from './schema.ts';

const MAX_AGENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Rejects a scope without limits, and a scope that names a project or an environment that the creator cannot see. */
export async function requireValidScope(db: Reader, actor: Actor, scope: TokenScope): Promise<void> {
  const details: Violation[] = [];
  const bounds = Object.entries(scope).filter(([name, value]) => name !== 'readOnly' || value === true);
  if (bounds.length === 0)
    details.push({
      message: 'scope must set at least one limit. Omit scope for a token without limits',
      path: '/body/scope',
    });
  const projects = await findUnknownProjects(db, actor, scope.projects ?? []);
  if (projects.size > 0)
    details.push({
      message: `scope.projects has unknown projects: ${quoteNames([...projects])}`,
      path: '/body/scope/projects',
    });
  const environments = await listUnknownEnvironments(db, scope.environments ?? []);
  if (environments.length > 0)
    details.push({
      message: `scope.environments has unknown environments: ${quoteNames(environments)}`,
      path: '/body/scope/environments',
    });
  if (details.length > 0) throw badData(details);
}

async function listUnknownEnvironments(db: Reader, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as given (name)
    where name not in (select environments.name from environments)`.execute(db);
  return rows.map(({ name }) => name);
}

/** Rejects an agent token that could change anything anywhere, or that would be valid for too long. */
export function requireAgentBounds({ expiresAt, scope }: NewPersonalToken): void {
  const details: Violation[] = [];
  const add = (message: string, path: string) => details.push({ message, path: `/body/${path}` });
  if (Date.parse(expiresAt) > Date.now() + MAX_AGENT_DAYS * DAY_MS)
    add(`expiresAt must be within ${MAX_AGENT_DAYS} days for an agent, not "${expiresAt}"`, 'expiresAt');
  if (scope?.projects === undefined) add('scope.projects is required for an agent', 'scope/projects');
  if (scope?.maxChanges === undefined && scope?.readOnly !== true)
    add('scope.maxChanges is required for an agent, unless scope.readOnly is true', 'scope/maxChanges');
  if (details.length > 0) throw badData(details);
}
