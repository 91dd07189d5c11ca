import { type RawBuilder, sql } from 'kysely';
import { ADMIN_TOKEN_NAME, ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../platform/actor.ts';

const nameOf = (id: RawBuilder<unknown>, nameOfAccount: RawBuilder<unknown>) => sql<string>`
  case ${id} when ${sql.lit(ADMIN_TOKEN_USER_ID)} then ${sql.lit(ADMIN_TOKEN_NAME)} when ${sql.lit(SYSTEM_USER_ID)} then 'system'
  else coalesce((select ${nameOfAccount} from users where users.id = ${id}), 'user ' || ${id}) end`;

/** The name of an actor: a user, deleted or not, an admin token, or the server itself. Qualify the column with its table. */
export const nameOfUser = (id: RawBuilder<unknown>) => nameOf(id, sql`coalesce(username, email)`);

/** The same, with the display name of an account that has one. */
export const displayNameOfUser = (id: RawBuilder<unknown>) =>
  nameOf(id, sql`coalesce(nullif(name, ''), username, email)`);

/**
 * The URL of the image of an actor with this name, at Gravatar as in Unleash. It contains the hash of the visible name, so the
 * hash does not disclose an email address that is not visible.
 */
export const imageOfName = (name: RawBuilder<unknown>) => sql<string>`
  'https://gravatar.com/avatar/' || encode(sha256(convert_to(lower(${name}), 'UTF8')), 'hex') || '?s=42&d=retro&r=g'`;

/** A user, as other modules show who changed something. */
export const personOf = (id: RawBuilder<unknown>) => sql`jsonb_build_object(
  'id', ${id}, 'name', ${displayNameOfUser(id)}, 'imageUrl', ${imageOfName(displayNameOfUser(id))})`;
