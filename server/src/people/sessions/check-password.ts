import { setTimeout as sleep } from 'node:timers/promises';
import { toNetwork } from '@halyard/plane/platform/admission/network.ts';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { matchesPassword } from '../../platform/secrets/password-hash.ts';
import { type LimitScope, LOGIN_LIMITS, MIN_BLOCKED_RESPONSE_MS } from './limits.ts';
import { recordLoginBlocked } from './login-blocked.ts';
import {
  countAttempt,
  type FailureCount,
  findLogin,
  type LoginAccount,
  type LoginAttempt,
  uncountAttempt,
} from './store.ts';

export type PasswordCheck =
  | { kind: 'correct'; account: LoginAccount & { passwordHash: string } }
  /** The limits that this failure reached. Only one failure per window reaches a limit, across all servers. */
  | { kind: 'wrong'; reachedLimits: LimitScope[] }
  | { kind: 'blocked'; seconds: number };

/**
 * Finds the user of a login and compares the password. Limits are checked before the hash is computed. An unknown user and a
 * wrong password take the same time and get the same response. The limits per IP address and per account do not block a user's
 * correct password at a known network, and a caller with a wrong password cannot tell that it was compared. `onBlocked` is called
 * before the pause of a blocked login.
 */
export async function checkPassword(
  db: Db,
  login: string,
  password: string,
  ip: string,
  onBlocked = () => {},
): Promise<PasswordCheck> {
  const startedAt = performance.now();
  const attempt = { login, network: toNetwork(ip) };
  const { account, known: isKnownNetwork, ...block } = await findLogin(db, attempt);
  const failureCounts = block.blockedFor === null ? await countAttempt(db, attempt) : [];
  const exceededCounts = failureCounts.filter(({ failures, allowed }) => failures > allowed);
  const seconds =
    block.blockedFor ??
    (exceededCounts.length === 0 ? null : Math.max(...exceededCounts.map(({ secondsLeft }) => secondsLeft)));
  if (seconds === null) return await compare(db, attempt, account, password, ip, failureCounts);

  const isBlockedHere = block.blockedHere || exceededCounts.some(({ scope }) => scope === 'place');
  const quietCheck =
    isKnownNetwork && !isBlockedHere ? await compareQuietly(db, attempt, account, password, ip) : undefined;
  if (quietCheck?.kind === 'correct') return quietCheck;
  onBlocked();
  await sleep(Math.max(0, MIN_BLOCKED_RESPONSE_MS - (performance.now() - startedAt)));
  return { kind: 'blocked', seconds };
}

/** Compares the password of an attempt that was already counted. */
async function compare(
  db: Db,
  attempt: LoginAttempt,
  account: LoginAccount | null,
  password: string,
  ip: string,
  failureCounts: FailureCount[],
): Promise<PasswordCheck> {
  const scopes = failureCounts.map(({ scope }) => scope);
  const passwordHash = account?.passwordHash ?? null;
  const matches = await matchesPassword(password, passwordHash, attempt.network).catch(async error => {
    await uncountAttempt(db, attempt, scopes, false);
    throw error;
  });
  if (matches && account && passwordHash !== null) {
    await uncountAttempt(db, attempt, scopes, true);
    return { kind: 'correct', account: { ...account, passwordHash } };
  }
  const reachedLimits = failureCounts
    .filter(({ failures, allowed }) => failures === allowed)
    .map(({ scope }) => scope);
  if (reachedLimits.length > 0) await recordBlocked(db, account, toNetwork(ip), ip, reachedLimits);
  return { kind: 'wrong', reachedLimits };
}

/**
 * Compares the password of a user at a known network while the IP address or the account is blocked. The failures are counted
 * separately, with the limit for one account at one IP address, because the other counters must stay the same for known and unknown
 * users.
 */
async function compareQuietly(
  db: Db,
  { login, network }: LoginAttempt,
  account: LoginAccount | null,
  password: string,
  ip: string,
): Promise<PasswordCheck | undefined> {
  const attempt = { login, network: `${network} known` };
  const failureCounts = await countAttempt(db, attempt, true);
  if (failureCounts.some(({ failures, allowed }) => failures > allowed)) return undefined;
  return await compare(db, attempt, account, password, ip, failureCounts).catch(error => {
    // The queue of hashes is full. The error is hidden, because a login with an unknown username never causes it.
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

/**
 * Records each limit once per window. An unknown account is not named, because somebody may have typed a password as the username.
 */
async function recordBlocked(
  db: Db,
  account: LoginAccount | null,
  network: string,
  ip: string,
  reachedLimits: LimitScope[],
): Promise<void> {
  const limits = reachedLimits.map(scope => ({
    countedBy: scope,
    ...LOGIN_LIMITS[scope],
    ...(scope === 'account' ? {} : { address: network }),
    ...(scope === 'address' || !account
      ? {}
      : { userId: account.id, username: account.username ?? account.email }),
  }));
  await recordLoginBlocked(db, ip, limits);
}
