import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Role } from '../roles/schema.ts';
import type { ServiceAccount } from './schema.ts';

/** The fields of a service account that an admin edits. */
export type ServiceAccountFields = Pick<
  ServiceAccount,
  'id' | 'name' | 'username' | 'rootRole' | 'readsTokenSecrets'
>;

const isoTime = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The names are never null for a service account. The columns can be null because a user may have only one name. */
const FIELDS = sql`
  users.id, coalesce(users.name, '') as name, coalesce(users.username, '') as username,
  (select role_id from user_roles where user_id = users.id and project is null) as "rootRole",
  users.reads_token_secrets as "readsTokenSecrets"`;

const IS_ACCOUNT = sql<boolean>`users.kind = 'service-account' and users.deleted_at is null`;

const ACCOUNTS = sql`
  select ${FIELDS}, true as "isAPI", users.created_at as "createdAt",
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', token.id, 'description', token.description, 'userId', token.user_id,
        'createdAt', ${isoTime('token.created_at')}, 'expiresAt', ${isoTime('token.expires_at')},
        'seenAt', ${isoTime('token.seen_at')}, 'kind', 'service', 'scope', token.scope, 'changesLeft', token.changes_left
      ) order by token.id)
      from personal_access_tokens as token where token.user_id = users.id
    ), '[]') as tokens
  from users where ${IS_ACCOUNT}`;

export async function listServiceAccounts(db: Reader): Promise<ServiceAccount[]> {
  const { rows } = await sql<ServiceAccount>`${ACCOUNTS} order by users.id`.execute(db);
  return rows;
}

export async function findServiceAccount(db: Reader, id: number): Promise<ServiceAccount | undefined> {
  const { rows } = await sql<ServiceAccount>`${ACCOUNTS} and users.id = ${id}`.execute(db);
  return rows[0];
}

/** Locks the service account. Until the transaction ends, nobody can change it or grant it a role. */
export async function lockServiceAccount(tx: Tx, id: number): Promise<ServiceAccountFields | undefined> {
  const { rows } = await sql<ServiceAccountFields>`
    select ${FIELDS} from users where users.id = ${id} and ${IS_ACCOUNT} for update`.execute(tx);
  return rows[0];
}

export async function insertServiceAccount(
  tx: Tx,
  account: Omit<ServiceAccountFields, 'id'>,
): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({
      name: account.name,
      username: account.username,
      kind: 'service-account',
      reads_token_secrets: account.readsTokenSecrets,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateAccount(
  tx: Tx,
  id: number,
  { name, readsTokenSecrets }: ServiceAccountFields,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ name, reads_token_secrets: readsTokenSecrets })
    .where('id', '=', id)
    .execute();
}

/** Marks the account as deleted. The row stays, because events refer to it. */
export async function markAccountDeleted(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('personal_access_tokens').where('user_id', '=', id).execute();
  await tx.updateTable('users').set({ deleted_at: sql<string>`now()` }).where('id', '=', id).execute();
}

export async function listRootRoles(db: Reader): Promise<Role[]> {
  const { rows } = await sql<Role>`
    select id, type, name, description from roles where type in ('root', 'root-custom')
    order by id`.execute(db);
  return rows;
}
