import { type RawBuilder, sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { EPOCH_ID } from '../../record/epoch/store.ts';

/** The maximum number of tokens that a statement returns, and that a server has in memory from its start. */
export const MOST_TOKENS = 20_000;

export type TokenRow = {
  id: number;
  /** SHA-256 of the token, as hexadecimal digits. */
  hash: string;
  type: string;
  environment: string | null;
  /** Sorted. Null: all projects. */
  projects: string[] | null;
  /** Milliseconds since 1970. Null: never. */
  expiresAt: number | null;
};

/** Tokens, and the epoch and the revision that they have, as of one moment. */
export type FoundTokens = { epoch: string; revision: number; tokens: TokenRow[] };

/** Tokens that are neither revoked nor expired. Those that were used last come first. */
export const listTokens = async (db: Reader): Promise<FoundTokens> =>
  await readTokens(db, sql<boolean>`true`);

/** The tokens with these hashes that are neither revoked nor expired. */
export const findTokens = async (db: Reader, hashes: string[]): Promise<FoundTokens> =>
  await readTokens(
    db,
    sql<boolean>`hash = any(array(select decode(given, 'hex') from unnest(${hashes}::text[]) as given))`,
  );

async function readTokens(db: Reader, matches: RawBuilder<boolean>): Promise<FoundTokens> {
  const { rows } = await sql<FoundTokens>`
    select ${EPOCH_ID} as epoch, revision, array(
      select json_build_object(
        'id', id, 'hash', encode(hash, 'hex'), 'type', type, 'environment', environment,
        'projects', case when not all_projects then array(
          select project_id from api_token_projects where token_id = api_tokens.id order by project_id collate "C"
        ) end,
        'expiresAt', extract(epoch from expires_at) * 1000
      )
      from api_tokens
      where revoked_at is null and (expires_at is null or expires_at > now()) and ${matches}
      order by seen_at desc nulls last, id limit ${MOST_TOKENS}
    ) as tokens
    from sdk_token_revision`.execute(db);
  const [found] = rows;
  if (!found) throw new Error('The table sdk_token_revision has no row');
  return found;
}

/** Writes at most once a minute for each token, on all servers together. Skips tokens that a change has locked. */
export async function markTokensSeen(db: Db, ids: number[]): Promise<void> {
  await sql`
    update api_tokens set seen_at = now() where id in (
      select id from api_tokens
      where id = any(${ids}) and coalesce(seen_at < now() - interval '1 minute', true)
      order by id for no key update skip locked
    )`.execute(db);
}
