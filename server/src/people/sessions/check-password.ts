import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { matchesPassword } from '../../platform/secrets/password-hash.ts';
import { BLOCKED_MS, type LimitScope, LOGIN_LIMITS } from './limits.ts';
import { recordLoginBlocked } from './login-blocked.ts';
import { networkOf } from './network.ts';
import {
  type Account,
  type Attempt,
  type Counted,
  countAttempt,
  findLogin,
  uncountAttempt,
} from './store.ts';

export type Checked =
  | { kind: 'right'; account: Account & { passwordHash: string } }
  /** Which limits this failure has reached, first among all servers. */
  | { kind: 'wrong'; reached: LimitScope[] }
  | { kind: 'blocked'; seconds: number };

/**
 * Whose password this is. Limits are checked before the password is computed. An unknown user and a wrong password cost
 * the same and look alike. Limits of the address and of the account do not stop the right password of a user who is known at
 * the address, but whoever types a wrong one cannot tell that it was looked at.
 */
export async function checkPassword(db: Db, login: string, password: string, ip: string): Promise<Checked> {
  const started = performance.now();
  const attempt = { login, network: networkOf(ip) };
  const { account, known, ...found } = await findLogin(db, attempt);
  const counted = found.blockedFor === null ? await countAttempt(db, attempt) : [];
  const over = counted.filter(({ failures, most }) => failures > most);
  const seconds =
    found.blockedFor ?? (over.length === 0 ? null : Math.max(...over.map(one => one.secondsLeft)));
  if (seconds === null) return await compare(db, attempt, account, password, ip, counted);

  const blockedHere = found.blockedHere || over.some(({ scope }) => scope === 'place');
  const quietly =
    known && !blockedHere ? await compareQuietly(db, attempt, account, password, ip) : undefined;
  if (quietly?.kind === 'right') return quietly;
  await sleep(Math.max(0, BLOCKED_MS - (performance.now() - started)));
  return { kind: 'blocked', seconds };
}

/** Compares the password for an attempt that has been counted. */
async function compare(
  db: Db,
  attempt: Attempt,
  account: Account | null,
  password: string,
  ip: string,
  counted: Counted[],
): Promise<Checked> {
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
  if (reached.length > 0) await recordBlocked(db, account, networkOf(ip), ip, reached);
  return { kind: 'wrong', reached };
}

/**
 * Compares the password of a known user while others have blocked the address or the account. Counted apart, with the
 * limit of a place: the public counters must not differ between known and unknown users.
 */
async function compareQuietly(
  db: Db,
  { login, network }: Attempt,
  account: Account | null,
  password: string,
  ip: string,
): Promise<Checked | undefined> {
  const attempt = { login, network: `${network} known` };
  const counted = await countAttempt(db, attempt, true);
  if (counted.some(({ failures, most }) => failures > most)) return undefined;
  return await compare(db, attempt, account, password, ip, counted).catch(error => {
    // Too many hashes at once: an unknown user would not be told so.
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

/** Records each limit once per window. An unknown account is not named: what was typed can be a password. */
async function recordBlocked(
  db: Db,
  account: Account | null,
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
