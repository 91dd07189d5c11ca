import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { recordLoginBlocked, tooManyFailures } from '../sessions/login-blocked.ts';
import { countUnconfirmed, findBlockedSeconds, uncountUnconfirmed } from './store.ts';

/** The number of unconfirmed logins per network after which the server no longer asks the provider. */
export const UNCONFIRMED = { failures: 100, minutes: 15 } as const;

/**
 * Asks the provider to confirm a login, within a limit. Anyone can forge a callback, and each causes a request to the provider.
 * Unconfirmed logins are counted before the request, per network, on all servers together.
 */
export async function limitUnconfirmed<T>(db: Db, ip: string, confirm: () => Promise<T>): Promise<T> {
  const network = networkOf(ip);
  const blockedFor = await findBlockedSeconds(db, network, UNCONFIRMED.failures);
  if (blockedFor !== undefined) throw tooManyFailures(blockedFor);
  const { failures, secondsLeft } = await countUnconfirmed(db, network, UNCONFIRMED.minutes);
  if (failures > UNCONFIRMED.failures) throw tooManyFailures(secondsLeft);
  const confirmed = await confirm().catch(async error => {
    // A provider that is down does not count as a forged login.
    if (!isUnconfirmed(error)) await uncountUnconfirmed(db, network);
    else if (failures === UNCONFIRMED.failures) await recordLoginBlocked(db, ip, [blocked(network)]);
    throw error;
  });
  await uncountUnconfirmed(db, network);
  return confirmed;
}

const isUnconfirmed = (error: unknown): boolean =>
  error instanceof ApiError && error.name === 'AuthenticationRequired';

const blocked = (network: string) => ({
  countedBy: 'address',
  method: 'oidc',
  ...UNCONFIRMED,
  address: network,
});
