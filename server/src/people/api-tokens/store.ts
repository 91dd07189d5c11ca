import { type RawBuilder, sql } from 'kysely';
import { isReadable } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { ApiToken } from './schema.ts';

const TOKEN = sql`
  api_tokens.id, api_tokens.hint as secret, api_tokens.name as "tokenName", api_tokens.type, api_tokens.environment,
  case when all_projects then array['*'] else array(
    select project_id from api_token_projects where token_id = api_tokens.id order by project_id
  ) end as projects,
  split_part(api_tokens.hint, ':', 1) as project, api_tokens.id::text as identifier, true as secure,
  api_tokens.alias, api_tokens.created_at as "createdAt", api_tokens.expires_at as "expiresAt",
  api_tokens.seen_at as "seenAt"`;

/** A condition on `api_tokens`: true if the actor can read all of the token's projects. */
export const isVisibleToken = (actor: Actor) =>
  actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`not exists (
        select from api_token_projects join projects on projects.id = project_id
        where token_id = api_tokens.id and not ${isReadable(actor)}
      )`;

/** Lists tokens that have one of these types, match the condition and are visible to the actor. */
export async function listTokens(
  db: Reader,
  actor: Actor,
  types: readonly string[],
  matches: RawBuilder<boolean> = sql`true`,
): Promise<ApiToken[]> {
  const { rows } = await sql<ApiToken>`
    select ${TOKEN} from api_tokens
    where revoked_at is null and type = any(${types}) and ${matches} and ${isVisibleToken(actor)}
    order by id`.execute(db);
  return rows;
}

/**
 * A condition on `api_tokens`: true for tokens that are bound to this project. Admin tokens and tokens for all projects are bound to
 * no project, not even to one with the id `*`.
 */
export const isForProject = (project: string) => sql<boolean>`(
  not all_projects and type <> 'admin' and id in (
    select token_id from api_token_projects where project_id = ${project}
  )
)`;

/** The hash of the whole token, or its id. */
export type ApiTokenKey = { hash: Buffer } | { id: number };

const isToken = (key: ApiTokenKey): RawBuilder<boolean> =>
  'id' in key ? sql`id = ${key.id}` : sql`hash = ${key.hash}`;

/** A condition on `api_tokens`: true for the token with this key, and for tokens with this name. */
export const hasKeyOrName = (name: string, key: ApiTokenKey) =>
  sql<boolean>`(name = ${name} or ${isToken(key)})`;

/** Locks the token and returns it, if it matches and is visible to the actor. */
export async function lockToken(
  tx: Tx,
  actor: Actor,
  key: ApiTokenKey,
  matches: RawBuilder<boolean> = sql`true`,
): Promise<ApiToken | undefined> {
  const { rows } = await sql<ApiToken>`
    select ${TOKEN} from api_tokens
    where ${isToken(key)} and revoked_at is null and ${matches} and ${isVisibleToken(actor)}
    for update`.execute(tx);
  return rows[0];
}

export type NewToken = {
  hash: Buffer;
  hint: string;
  type: string;
  name: string;
  environment: string | null;
  alias: string | null;
  expiresAt: string | null;
  /** Undefined: all projects. */
  projects: string[] | undefined;
};

/** Counts the tokens that are not revoked. */
export async function countTokens(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('api_tokens')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns undefined if the token already exists, even if it is revoked. */
export async function insertToken(tx: Tx, actor: Actor, token: NewToken): Promise<ApiToken | undefined> {
  const insertedRow = await tx
    .insertInto('api_tokens')
    .values({
      hash: token.hash,
      hint: token.hint,
      type: token.type,
      name: token.name,
      environment: token.environment,
      alias: token.alias,
      expires_at: token.expiresAt,
      all_projects: token.projects === undefined,
    })
    .onConflict(conflict => conflict.constraint('api_tokens_hash_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return insertedRow && (await lockToken(tx, actor, insertedRow));
}

/** Binds a token to the projects that exist and that the actor can read. Returns their ids. */
export async function bindToProjects(
  tx: Tx,
  actor: Actor,
  tokenId: number,
  projects: string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into api_token_projects (token_id, project_id)
    select ${tokenId}, projects.id from projects where projects.id = any(${projects}) and ${isReadable(actor)}
    returning project_id as id`.execute(tx);
  return rows.map(row => row.id);
}

/** Returns whether the environment exists, and which of the projects exist and are readable by the actor. */
export async function findExistingScope(
  db: Reader,
  actor: Actor,
  environment: string,
  projects: string[],
): Promise<{ environment: boolean; projects: string[] }> {
  const { rows } = await sql<{ environment: boolean; projects: string[] }>`
    select
      exists (select from environments where name = ${environment}) as environment,
      array(select projects.id from projects where projects.id = any(${projects}) and ${isReadable(actor)}) as projects`.execute(
    db,
  );
  return rows[0] ?? { environment: false, projects: [] };
}

export async function updateExpiry(tx: Tx, id: number, expiresAt: string | null): Promise<void> {
  await tx.updateTable('api_tokens').set({ expires_at: expiresAt }).where('id', '=', id).execute();
}

export async function markRevoked(tx: Tx, id: number): Promise<void> {
  await markAllRevoked(tx, [id]);
}

/** Locks and returns the tokens of the project, including tokens that are also for other projects. */
export async function lockProjectTokens(tx: Tx, project: string): Promise<ApiToken[]> {
  // The tokens are locked first, so that if two projects are deleted simultaneously, the second transaction sees that the first
  // project is gone.
  await sql`
    select from api_tokens where id in (select token_id from api_token_projects where project_id = ${project})
    order by id for update`.execute(tx);
  const { rows } = await sql<ApiToken>`
    select ${TOKEN} from api_tokens where revoked_at is null and ${isForProject(project)}
    order by id`.execute(tx);
  return rows;
}

export async function markAllRevoked(tx: Tx, ids: number[]): Promise<void> {
  await sql`
    update api_tokens set revoked_at = now(), sealed_secret = null, readable_by = null
    where id = any(${ids})`.execute(tx);
}

/** Removes the project from the tokens, which keep their other projects. */
export async function unbindFromProject(tx: Tx, project: string, ids: number[]): Promise<void> {
  await sql`
    delete from api_token_projects where project_id = ${project} and token_id = any(${ids})`.execute(tx);
}

/**
 * Returns whether the service account can read the secrets of the tokens that it creates. The lock keeps this true until the
 * transaction ends.
 */
export async function lockSecretReader(tx: Tx, account: number): Promise<boolean> {
  const { rows } = await sql<{ reads: boolean }>`
    select reads_token_secrets as reads from users where id = ${account} for share`.execute(tx);
  return rows[0]?.reads ?? false;
}

/** Lists the encrypted secrets of the tokens that the account created and can still read. */
export async function listOwnSecrets(db: Reader, account: number): Promise<{ id: number; sealed: string }[]> {
  const { rows } = await sql<{ id: number; sealed: string }>`
    select id, sealed_secret as sealed from api_tokens
    where readable_by = ${account} and sealed_secret is not null`.execute(db);
  return rows;
}

export async function lockSealedSecrets(tx: Tx): Promise<{ id: number; account: number; sealed: string }[]> {
  const { rows } = await sql<{ id: number; account: number; sealed: string }>`
    select id, readable_by as account, sealed_secret as sealed from api_tokens
    where readable_by is not null and sealed_secret is not null order by id for update`.execute(tx);
  return rows;
}

/** Stores the encrypted secret of a token for the account, or deletes the stored secret. */
export async function setSealedSecret(
  tx: Tx,
  id: number,
  account: number | null,
  sealed: string | null,
): Promise<void> {
  await tx
    .updateTable('api_tokens')
    .set({ sealed_secret: sealed, readable_by: account })
    .where('id', '=', id)
    .execute();
}

export async function deleteAccountSecrets(tx: Tx, account: number): Promise<void> {
  // The tokens are locked in key order, as everywhere else, so that transactions cannot deadlock.
  await sql`select from api_tokens where readable_by = ${account} order by id for update`.execute(tx);
  await sql`
    update api_tokens set sealed_secret = null, readable_by = null
    where readable_by = ${account}`.execute(tx);
}
