import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { hashPassword } from '../../platform/secrets/password-hash.ts';
import { findPasswordViolations } from '../../platform/secrets/password-strength.ts';
import type { Change } from '../../record/change.ts';
import { setRootRole } from '../grants/grant.ts';
import { createInvitationLink } from '../passwords/link.ts';
import type { NewUser, User } from './admin-schema.ts';
import { findReservedNameViolations } from './reserved.ts';
import { findRootRole, findUser, insertUser } from './store.ts';

type IdentityFields = Pick<User, 'name' | 'username' | 'email'>;

/** A validated new user, with the password hash. */
export type CheckedUser = IdentityFields & { rootRole: number | string; passwordHash: string | null };

/**
 * Checks a new user and hashes the password. `network` is the network of a person who signs up. Call it before opening a change,
 * because hashing takes 60 ms, during which the open transaction would hold a connection.
 */
export async function checkNewUser(
  input: Partial<IdentityFields> & { rootRole: number | string; password?: string | null },
  { selfChosen = false, network = '' } = {},
): Promise<CheckedUser> {
  const { rootRole, password = null } = input;
  const fields = { name: input.name || null, username: input.username || null, email: input.email || null };
  const details = [
    ...findIdentityViolations(fields),
    ...findReservedNameViolations(fields, selfChosen),
    ...(password === null ? [] : findPasswordViolations(password, fields)),
  ];
  if (details.length > 0) throw badData(details);
  const passwordHash = password === null ? null : await hashPassword(password, network);
  return { ...fields, rootRole, passwordHash };
}

/** Creates a user with a root role. */
export async function createUser(
  current: Change,
  { rootRole, passwordHash, ...fields }: CheckedUser,
): Promise<User> {
  const { tx, record } = current;
  const roleId = await requireRootRoleId(tx, rootRole);
  const id = await insertUser(tx, { ...fields, passwordHash });
  await setRootRole(current, id, roleId);
  const user = await findUser(tx, id);
  if (!user) throw new Error(`User ${id} is missing in the transaction that created it`);
  record({ type: 'user-created', data: userEventData(user) });
  return user;
}

/** Creates a user. Without a password, the response has a link that lets the user set one. */
export async function createUserWithLink(
  current: Change,
  newUser: CheckedUser,
  publicUrl: string,
): Promise<User> {
  const user = { ...(await createUser(current, newUser)), emailSent: false };
  if (newUser.passwordHash !== null) return user;
  return { ...user, inviteLink: await createInvitationLink(current, user.id, publicUrl) };
}

/**
 * Returns the violations of a username and email address. A username must not be somebody else's email address, because it would
 * capture that person's logins.
 */
export function* findIdentityViolations({
  username,
  email,
}: Pick<IdentityFields, 'username' | 'email'>): Generator<Violation> {
  if (username === null && email === null)
    yield { message: 'username or email is required', path: '/body/username' };
  if (username?.includes('@') && username.toLowerCase() !== email?.toLowerCase()) {
    yield {
      message: 'username must not contain an @ unless it equals email',
      path: '/body/username',
    };
  }
}

/**
 * Returns the violations of a new user, for a request that the schema rejected. With `hasInvalidIdentity`, the schema rejected the
 * username or email address, so neither is reported as missing.
 */
export async function findNewUserViolations(
  db: Reader,
  input: Partial<NewUser>,
  hasInvalidIdentity: boolean,
): Promise<Violation[]> {
  const fields = { name: input.name || null, username: input.username || null, email: input.email || null };
  return [
    ...(hasInvalidIdentity ? [] : findIdentityViolations(fields)),
    ...(input.password ? findPasswordViolations(input.password, fields) : []),
    ...(input.rootRole === undefined ? [] : await findRootRoleViolations(db, input.rootRole)),
  ];
}

export async function findRootRoleViolations(db: Reader, role: number | string): Promise<Violation[]> {
  if ((await findRole(db, role)) !== undefined) return [];
  return [
    {
      message: `rootRole "${role}" is not a root role. Use Admin, Editor, Viewer or the id of a custom root role`,
      path: '/body/rootRole',
    },
  ];
}

/** Finds a root role by id, which may be a string of digits, or by name. */
const findRole = async (db: Reader, role: number | string): Promise<number | undefined> =>
  await findRootRole(db, /^\d{1,9}$/.test(String(role)) ? Number(role) : role);

export async function requireRootRoleId(tx: Tx, role: number | string): Promise<number> {
  const id = await findRole(tx, role);
  if (id === undefined) throw badData(await findRootRoleViolations(tx, role));
  return id;
}

/** Returns the fields of a user that events contain: no secrets, and no time of last use. */
export function userEventData({ id, name, username, email, rootRole }: User): object {
  return { id, name, username, email, rootRole };
}
