import { sql } from 'kysely';
import { badData, quoted, type Violation } from '../../../../plane/src/platform/errors.ts';
import { unknownProjects } from '../../access/visibility.ts';
import type { Actor, TokenScope } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { NewPersonalToken } from './schema.ts';

const MAX_AGENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Rejects a scope without a bound, and one that names a project or an environment that the creator does not see. */
export async function requireValidScope(db: Reader, actor: Actor, scope: TokenScope): Promise<void> {
  const details: Violation[] = [];
  const bounds = Object.entries(scope).filter(([name, value]) => name !== 'readOnly' || value === true);
  if (bounds.length === 0)
    details.push({
      message: 'scope must set at least one limit. Omit scope for a token without limits',
      path: '/body/scope',
    });
  const projects = await unknownProjects(db, actor, scope.projects ?? []);
  if (projects.size > 0)
    details.push({
      message: `scope.projects has unknown projects: ${quoted([...projects])}`,
      path: '/body/scope/projects',
    });
  const environments = await listUnknownEnvironments(db, scope.environments ?? []);
  if (environments.length > 0)
    details.push({
      message: `scope.environments has unknown environments: ${quoted(environments)}`,
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

/** Rejects a token for an agent that could change anything anywhere or for long. */
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
