import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { recordLoginBlocked, tooManyFailures } from '../sessions/login-blocked.ts';
import { countUnconfirmed, findBlockedSeconds, uncountUnconfirmed } from './store.ts';

/** The number of unconfirmed logins per network after which the server no longer asks the provider. */
export const UNCONFIRMED_LIMIT = { failures: 100, minutes: 15 } as const;

/**
 * Asks the provider to confirm a login, within a limit, because anyone can forge a callback and each callback causes a request to
 * the provider. Each login counts as unconfirmed until the provider confirms it, per network and across all servers.
 */
export async function limitUnconfirmed<T>(db: Db, ip: string, confirm: () => Promise<T>): Promise<T> {
  const network = toNetwork(ip);
  const blockedFor = await findBlockedSeconds(db, network, UNCONFIRMED_LIMIT.failures);
  if (blockedFor !== undefined) throw tooManyFailures(blockedFor);
  const { failures, secondsLeft } = await countUnconfirmed(db, network, UNCONFIRMED_LIMIT.minutes);
  if (failures > UNCONFIRMED_LIMIT.failures) throw tooManyFailures(secondsLeft);
  const result = await confirm().catch(async error => {
    // A provider that is down does not count as a forged login.
    if (!isUnconfirmed(error)) await uncountUnconfirmed(db, network);
    else if (failures === UNCONFIRMED_LIMIT.failures)
      await recordLoginBlocked(db, ip, [blockedLogin(network)]);
    throw error;
  });
  await uncountUnconfirmed(db, network);
  return result;
}

const isUnconfirmed = (error: unknown): boolean =>
  error instanceof ApiError && error.name === 'AuthenticationRequired';

const blockedLogin = (network: string) => ({
  countedBy: 'address',
  method: 'oidc',
  ...UNCONFIRMED_LIMIT,
  address: network,
});
