import type { Change } from '../../record/change.ts';
import { removePassword } from '../passwords/change.ts';
import { endAllSessions } from '../sessions/end.ts';
import { forgetKnownNetworks } from '../sessions/known-networks.ts';
import { removeAllPersonalTokens } from '../users/personal-tokens.ts';
import { deleteOtherIdentities, type IdentityKey, type SignedInUser } from './store.ts';

/**
 * Revokes every credential of an account in the first login that links an identity to it by email address. Before this login,
 * nobody had proved that they own the email address, so somebody else may have used the account, whether the user signed up or an
 * admin created the account. The caller holds the lock on the user.
 */
export async function revokeUnprovenCredentials(
  current: Change,
  user: SignedInUser,
  key: IdentityKey,
): Promise<void> {
  const owner = { userId: user.id, username: user.username ?? user.email };
  const { password, passwordLink } = await removePassword(current, user.id);
  const sessions = await endAllSessions(current, owner);
  const personalTokens = await removeAllPersonalTokens(current, user.id);
  await deleteOtherIdentities(current.tx, user.id, key);
  await forgetKnownNetworks(current, user.id);
  current.record({
    type: 'user-identity-linked',
    data: {
      ...owner,
      email: user.email,
      issuer: key.issuer,
      revoked: { password, passwordLink, sessions, personalTokens },
    },
  });
}
