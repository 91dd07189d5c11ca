import { setRootRole } from '../../access/grant.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { badData, type Violation } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { hashPassword } from '../passwords/hash.ts';
import { inviteByLink } from '../passwords/link.ts';
import { passwordViolations } from '../passwords/strength.ts';
import type { NewUser, User } from './admin-schema.ts';
import { reservedNames } from './reserved.ts';
import { findRootRole, findUser, insertUser } from './store.ts';

type Fields = Pick<User, 'name' | 'username' | 'email'>;

/**
 * Creates a user with a password, or with a link by which they set one; the link is in this answer and nowhere else.
 * Without an address of ours there is no link.
 */
export async function createUser(db: Db, actor: Actor, input: NewUser, publicUrl?: string): Promise<User> {
  const fields = checkNewUser(input, input.password || null);
  const passwordHash = input.password ? await hashPassword(input.password) : null;
  return await change(db, actor, async ({ tx, record }) => {
    const user = await addUser({ tx, actor, record }, fields, input.rootRole, passwordHash);
    if (passwordHash !== null || publicUrl === undefined) return { ...user, emailSent: false };
    return { ...user, emailSent: false, inviteLink: await inviteByLink(tx, actor, user.id, publicUrl) };
  });
}

/** What is left out and what is empty is the same; every violation is told at once. */
export function checkNewUser(
  input: Partial<Fields>,
  password: string | null,
  { selfChosen = false } = {},
): Fields {
  const fields = { name: input.name || null, username: input.username || null, email: input.email || null };
  const details = [
    ...identityViolations(fields),
    ...reservedNames(fields, selfChosen),
    ...(password === null ? [] : passwordViolations(password, fields)),
  ];
  if (details.length > 0) throw badData(details);
  return fields;
}

/** A username that looks like the address of somebody else would catch their logins. */
export function* identityViolations({
  username,
  email,
}: Pick<Fields, 'username' | 'email'>): Generator<Violation> {
  if (username === null && email === null) {
    yield { message: 'username or email is required', path: '/body/username' };
  }
  if (username?.includes('@') && username.toLowerCase() !== email?.toLowerCase()) {
    yield {
      message: 'username must not hold an @, unless it is the address in email',
      path: '/body/username',
    };
  }
}

/** Part of a change: the user, their root role, and the event that tells of both. */
export async function addUser(
  { tx, record }: Change,
  fields: Fields,
  rootRole: number | string,
  passwordHash: string | null,
): Promise<User> {
  const roleId = await rootRoleId(tx, rootRole);
  const id = await insertUser(tx, { ...fields, passwordHash });
  await setRootRole(tx, id, roleId);
  const user = await findUser(tx, id);
  if (!user) throw new Error(`User ${id} vanished in the transaction that made it`);
  record({ type: 'user-created', data: asEventData(user) });
  return user;
}

/**
 * What is wrong with a user to be created, as far as the fields are given. `elsewhere` says that username or address was
 * given and is wrong by itself, so that neither is missing.
 */
export async function newUserViolations(
  db: Reader,
  input: Partial<NewUser>,
  elsewhere: boolean,
): Promise<Violation[]> {
  const fields = { name: input.name || null, username: input.username || null, email: input.email || null };
  return [
    ...(elsewhere ? [] : identityViolations(fields)),
    ...(input.password ? passwordViolations(input.password, fields) : []),
    ...(input.rootRole === undefined ? [] : await roleViolations(db, input.rootRole)),
  ];
}

export async function roleViolations(db: Reader, role: number | string): Promise<Violation[]> {
  if ((await findRole(db, role)) !== undefined) return [];
  return [
    {
      message: `rootRole must be Admin, Editor, Viewer or the id of a custom root role, and ${role} is none`,
      path: '/body/rootRole',
    },
  ];
}

/** By id, also in digits, or by name. */
const findRole = async (db: Reader, role: number | string): Promise<number | undefined> =>
  await findRootRole(db, /^\d{1,9}$/.test(String(role)) ? Number(role) : role);

export async function rootRoleId(tx: Tx, role: number | string): Promise<number> {
  const id = await findRole(tx, role);
  if (id === undefined) throw badData(await roleViolations(tx, role));
  return id;
}

/** What events tell of a user: nothing secret, and not the time of last use, which is no part of the state. */
export function asEventData({ id, name, username, email, rootRole }: User): object {
  return { id, name, username, email, rootRole };
}
