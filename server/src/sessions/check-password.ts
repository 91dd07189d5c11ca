import { SYSTEM } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { type ApiError, tooManyRequests } from '../errors.ts';
import { matchesPassword } from '../passwords/hash.ts';
import { type LimitScope, LOGIN_LIMITS } from './limits.ts';
import { networkOf } from './network.ts';
import { type Account, countAttempt, findLogin, uncountAttempt } from './store.ts';

export type Checked =
  | { kind: 'right'; account: Account & { passwordHash: string } }
  /** Which limits this failure has reached, first among all servers. */
  | { kind: 'wrong'; reached: LimitScope[] }
  | { kind: 'blocked'; seconds: number };

/**
 * Whose password this is. Limits are asked before the password is computed, so what they stop costs one query; an unknown
 * user and a wrong password cost the same and are told alike.
 */
export async function checkPassword(db: Db, login: string, password: string, ip: string): Promise<Checked> {
  const attempt = { login, network: networkOf(ip) };
  const { account, known, blockedFor } = await findLogin(db, attempt);
  if (blockedFor !== null) return { kind: 'blocked', seconds: blockedFor };
  const counted = await countAttempt(db, attempt, known);
  const over = counted.filter(({ failures, most }) => failures > most);
  if (over.length > 0) {
    return { kind: 'blocked', seconds: Math.max(...over.map(({ secondsLeft }) => secondsLeft)) };
  }

  const scopes = counted.map(({ scope }) => scope);
  const passwordHash = account?.passwordHash ?? null;
  const right = await matchesPassword(password, passwordHash).catch(async error => {
    await uncountAttempt(db, attempt, scopes, false);
    throw error;
  });
  if (right && account && passwordHash !== null) {
    await uncountAttempt(db, attempt, scopes, true);
    return { kind: 'right', account: { ...account, passwordHash } };
  }
  const reached = counted.filter(({ failures, most }) => failures === most).map(({ scope }) => scope);
  if (reached.length > 0) await recordBlocked(db, account, attempt.network, ip, reached);
  return { kind: 'wrong', reached };
}

export const tooManyFailures = (seconds: number): ApiError =>
  tooManyRequests(
    `Too many failed logins. Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`,
    seconds,
  );

/** Once per limit and window. An account that does not exist is not named: what was typed may be a password. */
async function recordBlocked(
  db: Db,
  account: Account | null,
  network: string,
  ip: string,
  reached: LimitScope[],
): Promise<void> {
  await change(db, { ...SYSTEM, ip }, async ({ record }) => {
    for (const scope of reached) {
      record({
        type: 'login-blocked',
        data: {
          countedBy: scope,
          ...LOGIN_LIMITS[scope],
          ...(scope === 'account' ? {} : { address: network }),
          ...(scope === 'address' || !account
            ? {}
            : { userId: account.id, username: account.username ?? account.email }),
        },
      });
    }
  });
}
