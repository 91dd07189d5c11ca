import { type RawBuilder, sql } from 'kysely';
import { ADMIN_TOKEN_NAME, ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../platform/actor.ts';

const selectName = (id: RawBuilder<unknown>, accountName: RawBuilder<unknown>) => sql<string>`
  case ${id} when ${sql.lit(ADMIN_TOKEN_USER_ID)} then ${sql.lit(ADMIN_TOKEN_NAME)} when ${sql.lit(SYSTEM_USER_ID)} then 'system'
  else coalesce((select ${accountName} from users where users.id = ${id}), 'user ' || ${id}) end`;

/**
 * Selects the name of an actor, which is a user (deleted or not), an admin token, or the server itself. Qualify the column with its
 * table.
 */
export const selectUserName = (id: RawBuilder<unknown>) => selectName(id, sql`coalesce(username, email)`);

/** Like `selectUserName`, but with the display name of an account that has one. */
export const userDisplayName = (id: RawBuilder<unknown>) =>
  selectName(id, sql`coalesce(nullif(name, ''), username, email)`);

/**
 * Selects the Gravatar image URL for an actor name, as Unleash does. The URL contains a hash of the visible name, so it does not
 * disclose an email address that is hidden.
 */
export const imageForName = (name: RawBuilder<unknown>) => sql<string>`
  'https://gravatar.com/avatar/' || encode(sha256(convert_to(lower(${name}), 'UTF8')), 'hex') || '?s=42&d=retro&r=g'`;

/** Builds the JSON object that other modules use to show who changed something. */
export const selectPerson = (id: RawBuilder<unknown>) => sql`jsonb_build_object(
  'id', ${id}, 'name', ${userDisplayName(id)}, 'imageUrl', ${imageForName(userDisplayName(id))})`;
