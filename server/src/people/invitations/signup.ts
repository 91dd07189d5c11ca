import { ApiError } from '@halyard/plane/platform/errors.ts';
import { hashToken, isForged } from '@halyard/plane/platform/token.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { trustNetwork } from '../sessions/known-networks.ts';
import type { User } from '../users/admin-schema.ts';
import { type CheckedUser, createUser } from '../users/create.ts';
import { insertSignup, isOpenLink, lockOpenToken } from './store.ts';

/** Rejects a token that is unknown, disabled or expired, with the same response in all three cases. */
export async function requireOpenToken(db: Db, token: string): Promise<void> {
  if (isForged(token) || !(await isOpenLink(db, hashToken(token)))) throw closedLink();
}

/** Creates a user who signs up with a link. */
export async function signUp(
  current: Change,
  token: string,
  newUser: CheckedUser,
  ip: string,
): Promise<User> {
  const { tx, record } = current;
  const link = await lockOpenToken(tx, hashToken(token));
  if (!link) throw closedLink();
  const user = await createUser(current, newUser);
  await insertSignup(tx, link.id, user.id);
  await trustNetwork(current, user.id, ip);
  record({
    type: 'public-signup-token-user-added',
    data: { name: link.name, tokenId: link.id, userId: user.id, username: user.username ?? user.email },
  });
  return user;
}

const closedLink = (): ApiError =>
  new ApiError(
    'AuthenticationRequired',
    'This signup link is invalid, disabled or expired. Ask the sender for a new one.',
  );
