import type { Change } from '../../record/change.ts';
import { removePassword } from '../passwords/change.ts';
import { endSessionsOf } from '../sessions/end.ts';
import { forgetPlaces } from '../sessions/welcome.ts';
import { withdrawTokensOf } from '../users/personal-tokens.ts';
import { deleteOtherIdentities, type IdentityKey, type SignedIn } from './store.ts';

/**
 * Part of the login that links an account to an identity by its address; the caller holds the lock on the user. Until then
 * nobody had proved that the address is theirs, so whoever used the account may be somebody else: every credential
 * that acts as the account is revoked, whether the account was self-registered or created by an admin.
 */
export async function revokeUnproven(
  { tx, actor, record }: Change,
  user: SignedIn,
  key: IdentityKey,
): Promise<void> {
  const owner = { userId: user.id, username: user.username ?? user.email };
  const { password, passwordLink } = await removePassword(tx, user.id);
  const sessions = await endSessionsOf(tx, [user.id]);
  if (sessions > 0) record({ type: 'user-sessions-ended', data: { ...owner, sessions } });
  const personalTokens = await withdrawTokensOf({ tx, actor, record }, user.id);
  await deleteOtherIdentities(tx, user.id, key);
  await forgetPlaces(tx, user.id);
  record({
    type: 'user-identity-linked',
    data: {
      ...owner,
      email: user.email,
      issuer: key.issuer,
      revoked: { password, passwordLink, sessions, personalTokens },
    },
  });
}
