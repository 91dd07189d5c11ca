import { ROOT_ROLES } from '../../access/roles.ts';
import { hashToken, isForged } from '../../access/token.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { hashPassword } from '../passwords/hash.ts';
import { welcomeHere } from '../sessions/welcome.ts';
import type { NewMember, User } from '../users/admin-schema.ts';
import { addUser, checkNewUser } from '../users/create.ts';
import { insertSignup, isOpen, lockOpenToken } from './store.ts';

/** Refuses a token by which nobody can join: unknown, closed or too old, all alike. */
export async function needsOpenToken(db: Db, token: string): Promise<void> {
  if (isForged(token) || !(await isOpen(db, hashToken(token)))) throw closed();
}

/** Somebody joins by a signup link, as Viewer. */
export async function signUp(db: Db, token: string, input: NewMember, ip: string): Promise<User> {
  await needsOpenToken(db, token);
  const fields = checkNewUser(input, input.password, { selfChosen: true });
  const passwordHash = await hashPassword(input.password);
  return await change(db, { ...SYSTEM, ip }, async ({ tx, actor, record }) => {
    const link = await lockOpenToken(tx, hashToken(token));
    if (!link) throw closed();
    const user = await addUser({ tx, actor, record }, fields, ROOT_ROLES.Viewer, passwordHash);
    await insertSignup(tx, link.id, user.id);
    await welcomeHere(tx, user.id, ip);
    record({
      type: 'public-signup-token-user-added',
      data: { name: link.name, tokenId: link.id, userId: user.id, username: user.username ?? user.email },
    });
    return user;
  });
}

const closed = (): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    'This link is not valid, or not any more. Ask who sent it for a new one.',
  );
