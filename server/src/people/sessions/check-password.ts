import { setTimeout as sleep } from 'node:timers/promises';
import { networkOf } from '../../../../plane/src/platform/admission/network.ts';
import { ApiError } from '../../../../plane/src/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { matchesPassword } from '../../platform/secrets/password-hash.ts';
import { BLOCKED_MS, type LimitScope, LOGIN_LIMITS } from './limits.ts';
import { recordLoginBlocked } from './login-blocked.ts';
import {
  type Counted,
  countAttempt,
  findLogin,
  type LoginAccount,
  type LoginAttempt,
  uncountAttempt,
} from './store.ts';

export type Checked =
  | { kind: 'correct'; account: LoginAccount & { passwordHash: string } }
  /** The limits that this failure reached. A limit is reached once, on all servers together. */
  | { kind: 'wrong'; reached: LimitScope[] }
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
): Promise<Checked> {
  const started = performance.now();
  const attempt = { login, network: networkOf(ip) };
  const { account, known, ...found } = await findLogin(db, attempt);
  const counted = found.blockedFor === null ? await countAttempt(db, attempt) : [];
  const over = counted.filter(({ failures, most }) => failures > most);
  const seconds =
    found.blockedFor ?? (over.length === 0 ? null : Math.max(...over.map(one => one.secondsLeft)));
  if (seconds === null) return await compare(db, attempt, account, password, ip, counted);

  const blockedHere = found.blockedHere || over.some(({ scope }) => scope === 'place');
  const quiet = known && !blockedHere ? await compareQuietly(db, attempt, account, password, ip) : undefined;
  if (quiet?.kind === 'correct') return quiet;
  onBlocked();
  await sleep(Math.max(0, BLOCKED_MS - (performance.now() - started)));
  return { kind: 'blocked', seconds };
}

/** Compares the password of an attempt that has been counted. */
async function compare(
  db: Db,
  attempt: LoginAttempt,
  account: LoginAccount | null,
  password: string,
  ip: string,
  counted: Counted[],
): Promise<Checked> {
  const scopes = counted.map(({ scope }) => scope);
  const passwordHash = account?.passwordHash ?? null;
  const matches = await matchesPassword(password, passwordHash, attempt.network).catch(async error => {
    await uncountAttempt(db, attempt, scopes, false);
    throw error;
  });
  if (matches && account && passwordHash !== null) {
    await uncountAttempt(db, attempt, scopes, true);
    return { kind: 'correct', account: { ...account, passwordHash } };
  }
  const reached = counted.filter(({ failures, most }) => failures === most).map(({ scope }) => scope);
  if (reached.length > 0) await recordBlocked(db, account, networkOf(ip), ip, reached);
  return { kind: 'wrong', reached };
}

/**
 * Compares the password of a user at a known network while the IP address or the account is blocked. Counts separately, with the
 * limit for one account at one IP address, because the other counters must not differ between known and unknown users.
 */
async function compareQuietly(
  db: Db,
  { login, network }: LoginAttempt,
  account: LoginAccount | null,
  password: string,
  ip: string,
): Promise<Checked | undefined> {
  const attempt = { login, network: `${network} known` };
  const counted = await countAttempt(db, attempt, true);
  if (counted.some(({ failures, most }) => failures > most)) return undefined;
  return await compare(db, attempt, account, password, ip, counted).catch(error => {
    // The queue of hashes is full. An unknown user would not get this error.
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

/** Records each limit once per window. An unknown account is not named, because somebody may have typed a password as the username. */
async function recordBlocked(
  db: Db,
  account: LoginAccount | null,
  network: string,
  ip: string,
  reached: LimitScope[],
): Promise<void> {
  const limits = reached.map(scope => ({
    countedBy: scope,
    ...LOGIN_LIMITS[scope],
    ...(scope === 'account' ? {} : { address: network }),
    ...(scope === 'address' || !account
      ? {}
      : { userId: account.id, username: account.username ?? account.email }),
  }));
  await recordLoginBlocked(db, ip, limits);
}
