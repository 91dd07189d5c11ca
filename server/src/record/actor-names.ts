import { type RawBuilder, sql } from 'kysely';
import { ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../platform/actor.ts';

/** What to call whoever has this id: a user, deleted or not, an admin token or the service itself. Name the column with its table. */
export const nameOfUser = (id: RawBuilder<unknown>) => sql<string>`
  case ${id} when ${sql.lit(ADMIN_TOKEN_USER_ID)} then 'admin token' when ${sql.lit(SYSTEM_USER_ID)} then 'system'
  else coalesce((select coalesce(username, email) from users where users.id = ${id}), 'user ' || ${id}) end`;

/**
 * Where the image of a user is: at Gravatar, as Unleash does it, by the hash of the name that is shown. An e-mail address that
 * is not shown is not given away by its hash either.
 */
export const imageOfUser = (id: RawBuilder<unknown>) => sql<string>`
  'https://gravatar.com/avatar/' || encode(sha256(convert_to(lower(${nameOfUser(id)}), 'UTF8')), 'hex') || '?s=42&d=retro&r=g'`;

/** A user as other records name them. */
export const personOf = (id: RawBuilder<unknown>) => sql`jsonb_build_object(
  'id', ${id}, 'name', ${nameOfUser(id)}, 'imageUrl', ${imageOfUser(id)})`;
