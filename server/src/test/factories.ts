import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { PROJECT_ROLES, type ProjectRole, type RootRole } from '../access/roles.ts';
import { createFeature } from '../flags/features/create.ts';
import type { NewFeature } from '../flags/features/schema.ts';
import { createProject } from '../flags/projects/create.ts';
import type { NewProject, Project } from '../flags/projects/schema.ts';
import { findProject } from '../flags/projects/store.ts';
import { createApiToken } from '../people/api-tokens/create.ts';
import type { ApiToken, NewApiToken } from '../people/api-tokens/schema.ts';
import { insertUserRole } from '../people/grants/store.ts';
import type { NewUser, User } from '../people/users/admin-schema.ts';
import { checkNewUser, createUser } from '../people/users/create.ts';
import { createPersonalToken } from '../people/users/personal-tokens.ts';
import { SYSTEM, type TokenScope } from '../platform/actor.ts';
import type { Db } from '../platform/db/database.ts';
import { change } from '../record/change.ts';
import { registerWriters } from '../record/change-writers.ts';
import { WRITERS } from '../writers.ts';

registerWriters(WRITERS);

const uniqueSuffix = (): string => randomBytes(5).toString('hex');

export type TestUser = { id: number; username: string; token: string };

/** Creates a user with the given fields. The event names the system as the actor. */
export async function makeUserWith(db: Db, fields: NewUser): Promise<User> {
  const newUser = await checkNewUser(fields);
  return await change(db, SYSTEM, current => createUser(current, newUser));
}

/** Creates a user with a root role and a personal token. */
export async function makeUser(
  db: Db,
  rootRole: RootRole,
  username = `${rootRole}-${uniqueSuffix()}`,
): Promise<TestUser> {
  const { id } = await makeUserWith(db, { name: username, username, email: null, rootRole });
  const actor = { ...SYSTEM, kind: 'user' as const, userId: id, name: username };
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  const { secret } = await change(db, actor, current =>
    createPersonalToken(current, { description: 'test', expiresAt }),
  );
  return { id, username, token: String(secret) };
}

/** Creates a token with fewer permissions than its user. */
export async function makeScopedToken(
  db: Db,
  { id, username }: Pick<TestUser, 'id' | 'username'>,
  scope: TokenScope,
  { kind = 'personal', days = 1, description = `scoped ${uniqueSuffix()}` }: Partial<ScopedToken> = {},
): Promise<string> {
  const actor = { ...SYSTEM, kind: 'user' as const, userId: id, name: username };
  const expiresAt = new Date(Date.now() + days * 86_400_000).toISOString();
  const { secret } = await change(db, actor, current =>
    createPersonalToken(current, { description, expiresAt, kind, scope }),
  );
  return String(secret);
}

type ScopedToken = { kind: 'personal' | 'agent'; days: number; description: string };

export const PASSWORD = 'correct horse battery staple';

/** Creates a user who can log in with PASSWORD. */
export async function makePerson(
  db: Db,
  rootRole: RootRole = 'Viewer',
  username = `person-${uniqueSuffix()}`,
): Promise<{ id: number; username: string }> {
  const { id } = await makeUserWith(db, { username, password: PASSWORD, rootRole });
  return { id, username };
}

export async function makeProject(db: Db, fields: Partial<NewProject> = {}): Promise<Project> {
  const input = { name: 'Test project', id: `project-${uniqueSuffix()}`, ...fields };
  const project = await change(
    db,
    SYSTEM,
    current => createProject(current, input),
    (tx, id) => findProject(tx, SYSTEM, id),
  );
  if (!project) throw new Error(`Project ${input.id} was not created`);
  return project;
}

export async function makeFeature(db: Db, project: string, fields: NewFeature): Promise<void> {
  await change(db, SYSTEM, current => createFeature(current, project, fields));
}

export async function makeMember(db: Db, user: TestUser, project: string, role: ProjectRole): Promise<void> {
  await db
    .transaction()
    .execute(tx => insertUserRole(tx, user.id, PROJECT_ROLES[role], project, SYSTEM.name));
}

export const makeApiToken = async (db: Db, fields: NewApiToken): Promise<ApiToken> =>
  await change(db, SYSTEM, current => createApiToken(current, fields));

/** Records that an SDK has evaluated the feature in each of its environments. */
export async function markSeen(db: Db, name: string, at = new Date()): Promise<void> {
  await sql`
    insert into feature_last_seen (feature_name, environment, seen_at)
    select feature_name, environment, ${at} from feature_environments where feature_name = ${name}
    on conflict (feature_name, environment) do update set seen_at = excluded.seen_at`.execute(db);
}
