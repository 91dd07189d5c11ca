import type { Change } from '../../record/change.ts';
import { removePassword } from '../passwords/change.ts';
import { endAllSessions } from '../sessions/end.ts';
import { forgetNetworks } from '../sessions/known-networks.ts';
import { removeAllPersonalTokens } from '../users/personal-tokens.ts';
import { deleteOtherIdentities, type IdentityKey, type SignedIn } from './store.ts';

/**
 * Part of the first login with which an identity is linked to an account by email address. The caller holds the lock on the user.
 * Before this login nobody had proved that they own the address, so the account may have been used by somebody else. Every
 * credential of the account is revoked, whether the user signed up or an admin created the account.
 */
export async function revokeUnproven(current: Change, user: SignedIn, key: IdentityKey): Promise<void> {
  const owner = { userId: user.id, username: user.username ?? user.email };
  const { password, passwordLink } = await removePassword(current, user.id);
  const sessions = await endAllSessions(current, owner);
  const personalTokens = await removeAllPersonalTokens(current, user.id);
  await deleteOtherIdentities(current.tx, user.id, key);
  await forgetNetworks(current, user.id);
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
