import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { LoginMethod, OidcContent, SimpleSettings } from './schema.ts';

export type OidcRow = { content: OidcContent; defaultRoleId: number; sealedSecret: string | null };

/** Locks the settings of all login methods. */
export async function lockAuthSettings(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('auth settings'))`.execute(tx);
}

export async function findOidc(db: Reader): Promise<OidcRow | undefined> {
  const { rows } = await sql<OidcRow>`
    select content, default_role_id as "defaultRoleId", sealed_secret as "sealedSecret"
    from auth_settings where name = 'oidc' and default_role_id is not null`.execute(db);
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

export type EnabledMethods = Record<LoginMethod['type'], boolean>;

/** Returns which login methods are enabled. This is a single primary-key query, because every visit to the login page runs it. */
export async function findEnabledMethods(db: Reader): Promise<EnabledMethods> {
  const { rows } = await sql<EnabledMethods>`
    select
      coalesce(not bool_or((content -> 'disabled')::boolean) filter (where name = 'simple'), true) as password,
      coalesce(bool_or((content -> 'enabled')::boolean) filter (where name = 'oidc'), false) as oidc
    from auth_settings where name in ('oidc', 'simple')`.execute(db);
  return rows[0] ?? { password: true, oidc: false };
}
