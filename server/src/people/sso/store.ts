import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { COUNT_ON, digest, SECONDS_LEFT } from '../sessions/store.ts';
import type { LoginMethod, OidcContent, SimpleSettings } from './schema.ts';

export type OidcRow = { content: OidcContent; defaultRoleId: number; sealedSecret: string | null };

/** Keeps others from changing how people log in until the transaction ends. */
export async function lockAuthSettings(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('auth settings'))`.execute(tx);
}

export async function findOidc(db: Reader): Promise<OidcRow | undefined> {
  const { rows } = await sql<OidcRow>`
    select content, default_role_id as "defaultRoleId", sealed_secret as "sealedSecret"
    from auth_settings where name = 'oidc'`.execute(db);
  return rows[0];
}

export async function saveOidc(tx: Tx, row: OidcRow): Promise<void> {
  await sql`
    insert into auth_settings (name, content, default_role_id, sealed_secret)
    values ('oidc', ${JSON.stringify(row.content)}, ${row.defaultRoleId}, ${row.sealedSecret})
    on conflict (name) do update set content = excluded.content, default_role_id = excluded.default_role_id,
      sealed_secret = excluded.sealed_secret`.execute(tx);
}

export async function findSimple(db: Reader): Promise<SimpleSettings | undefined> {
  const { rows } = await sql<{ content: SimpleSettings }>`
    select content from auth_settings where name = 'simple'`.execute(db);
  return rows[0]?.content;
}

export async function saveSimple(tx: Tx, content: SimpleSettings): Promise<void> {
  await sql`
    insert into auth_settings (name, content) values ('simple', ${JSON.stringify(content)})
    on conflict (name) do update set content = excluded.content`.execute(tx);
}

export type Switches = Record<LoginMethod['type'], boolean>;

/** Which ways to log in are open. Whoever opens a login page asks this, so it is one statement, by primary key. */
export async function findSwitches(db: Reader): Promise<Switches> {
  const { rows } = await sql<Switches>`
    select
      coalesce(not bool_or((content -> 'disabled')::boolean) filter (where name = 'simple'), true) as password,
      coalesce(bool_or((content -> 'enabled')::boolean) filter (where name = 'oidc'), false) as oidc
    from auth_settings where name in ('oidc', 'simple')`.execute(db);
  return rows[0] ?? { password: true, oidc: false };
}

/** True for an attempt that has neither run out, by the clock of the database, nor been finished. */
export async function isUnfinished(db: Reader, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await sql`
    select where ${expiresAt}::timestamptz > now()
      and not exists (select from sso_finished_logins where hash = ${hash})`.execute(db);
  return rows.length > 0;
}

/** True for the first one, who the others wait for. What has run out may have been swept, and is nobody's any more. */
export async function insertFinished(tx: Tx, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into sso_finished_logins (hash, expires_at)
    select ${hash}::bytea, ${expiresAt}::timestamptz where ${expiresAt}::timestamptz > now()
    on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

/** The counter of a network, apart from that of its failed passwords. */
const counterOf = (network: string) => digest(sql`'oidc'`, sql`${network}::text`);

/** Seconds until logins of the network are looked at again; undefined: they are now. */
export async function findBlocked(db: Reader, network: string, most: number): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number }>`
    select ${SECONDS_LEFT} as seconds from login_failures
    where scope = 'address' and key = ${counterOf(network)} and ends_at > now() and failures >= ${most}`.execute(
    db,
  );
  return rows[0]?.seconds;
}

export async function countUnconfirmed(
  db: Db,
  network: string,
  minutes: number,
): Promise<{ failures: number; secondsLeft: number }> {
  const { rows } = await sql<{ failures: number; secondsLeft: number }>`
    with counted as (
      insert into login_failures as old (scope, key, failures, ends_at)
      values ('address', ${counterOf(network)}, 1, now() + make_interval(mins => ${minutes}))
      ${COUNT_ON}
    )
    select failures, ${SECONDS_LEFT} as "secondsLeft" from counted`.execute(db);
  return rows[0] ?? { failures: 1, secondsLeft: 0 };
}

export async function uncountUnconfirmed(db: Db, network: string): Promise<void> {
  await sql`
    update login_failures set failures = greatest(failures - 1, 0)
    where scope = 'address' and key = ${counterOf(network)}`.execute(db);
}

/** Who somebody is to the provider. */
export type IdentityKey = { issuer: string; clientId: string; subject: string };

/** Two first logins of one person come one after the other. */
export async function lockIdentity(tx: Tx, { issuer, clientId, subject }: IdentityKey): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended(${[issuer, clientId, subject].join('\n')}, hashtext('sso')))`.execute(tx);
}

export type KnownIdentity = { userId: number; deleted: boolean };

export async function findIdentity(db: Reader, key: IdentityKey): Promise<KnownIdentity | undefined> {
  const { rows } = await sql<KnownIdentity>`
    select users.id as "userId", users.deleted_at is not null as deleted
    from sso_identities join users on users.id = user_id
    where issuer = ${key.issuer} and client_id = ${key.clientId} and subject = ${key.subject}`.execute(db);
  return rows[0];
}

/** Identities of the user other than this one open the account no more. */
export async function deleteOtherIdentities(tx: Tx, userId: number, key: IdentityKey): Promise<void> {
  await sql`
    delete from sso_identities
    where user_id = ${userId} and (issuer, client_id, subject) <> (${key.issuer}, ${key.clientId}, ${key.subject})`.execute(
    tx,
  );
}

/** The user with this address, and whether they are somebody else to the provider already. */
export async function findUserByEmail(
  db: Reader,
  email: string,
  key: IdentityKey,
): Promise<{ id: number; taken: boolean } | undefined> {
  const { rows } = await sql<{ id: number; taken: boolean }>`
    select id, exists (
      select from sso_identities
      where user_id = users.id and issuer = ${key.issuer} and client_id = ${key.clientId}
    ) as taken
    from users
    where lower(email) = lower(${email}) and deleted_at is null and kind = 'user'`.execute(db);
  return rows[0];
}

/** The identity is this user's from now on, and no deleted one's any more. */
export async function saveIdentity(tx: Tx, key: IdentityKey, userId: number): Promise<void> {
  await sql`
    insert into sso_identities (issuer, client_id, subject, user_id)
    values (${key.issuer}, ${key.clientId}, ${key.subject}, ${userId})
    on conflict on constraint sso_identities_pkey
    do update set user_id = excluded.user_id, created_at = now()`.execute(tx);
}

export type SignedIn = { id: number; username: string | null; email: string | null };

/** The user, if they are there; nobody deletes them until the transaction ends. */
export async function lockUser(tx: Tx, id: number): Promise<SignedIn | undefined> {
  const { rows } = await sql<SignedIn>`
    select id, username, email from users
    where id = ${id} and deleted_at is null and kind = 'user' for update`.execute(tx);
  return rows[0];
}

export type Membership = { groupId: number; groupName: string };
export type GroupChanges = { added: Membership[]; removed: Membership[] };

/** Groups the user has to come into, and those single sign-on brought them into and they have to leave. */
export async function findGroupChanges(
  db: Reader,
  userId: number,
  ssoGroups: string[],
): Promise<GroupChanges> {
  const { rows } = await sql<Membership & { wanted: boolean }>`
    select groups.id as "groupId", groups.name as "groupName", mapped as wanted
    from groups
      left join group_users on group_id = groups.id and user_id = ${userId}
      cross join lateral (select mappings_sso && ${ssoGroups}::text[] as mapped) as claim
    where (mapped and group_users.user_id is null) or (not mapped and from_sso)
    order by groups.id`.execute(db);
  const pick = (wanted: boolean) =>
    rows
      .filter(row => row.wanted === wanted)
      .map(({ groupId, groupName }): Membership => ({ groupId, groupName }));
  return { added: pick(true), removed: pick(false) };
}

/** They stay as they are until the transaction ends. */
export async function lockGroups(tx: Tx, ids: number[]): Promise<void> {
  await sql`select from groups where id = any(${ids}) order by id for update`.execute(tx);
}

export async function insertMemberships(tx: Tx, userId: number, ids: number[], by: string): Promise<void> {
  await sql`
    insert into group_users (group_id, user_id, created_by, from_sso)
    select unnest(${ids}::integer[]), ${userId}::integer, ${by}, true on conflict do nothing`.execute(tx);
}

export async function deleteMemberships(tx: Tx, userId: number, ids: number[]): Promise<void> {
  await sql`
    delete from group_users where user_id = ${userId} and group_id = any(${ids}) and from_sso`.execute(tx);
}
