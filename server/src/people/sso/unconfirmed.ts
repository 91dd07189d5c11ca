import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { recordLoginBlocked, tooManyFailures } from '../sessions/login-blocked.ts';
import { networkOf } from '../sessions/network.ts';
import { countUnconfirmed, findBlocked, uncountUnconfirmed } from './store.ts';

/** So many logins of one network may come back that the provider does not confirm, before it is asked about no more of them. */
export const UNCONFIRMED = { failures: 100, minutes: 15 } as const;

/**
 * Asks the provider about a login that came back. Everybody can make one up, and each is a request of ours to the provider; so
 * what it does not confirm is counted, before it is asked and on all servers together. By network, so that others go on.
 */
export async function limitingUnconfirmed<T>(db: Db, ip: string, confirm: () => Promise<T>): Promise<T> {
  const network = networkOf(ip);
  const blockedFor = await findBlocked(db, network, UNCONFIRMED.failures);
  if (blockedFor !== undefined) throw tooManyFailures(blockedFor);
  const { failures, secondsLeft } = await countUnconfirmed(db, network, UNCONFIRMED.minutes);
  if (failures > UNCONFIRMED.failures) throw tooManyFailures(secondsLeft);
  const confirmed = await confirm().catch(async error => {
    // A provider that is down is nobody's guess.
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
