import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import {
  makeShares,
  type ShareLimits,
  type Shares,
} from '../../../../plane/src/platform/admission/shares.ts';
import { ApiError } from '../../../../plane/src/platform/errors.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. About 60 ms. A login rehashes with new parameters. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Each hash takes 19 MiB and one of the four threads with which Node also reads files and resolves names. Logins have two of them, and
 * new passwords have another one, so that no number of signups delays a login. Networks take turns. A network that has 30 passwords in
 * the queue waits for 2 s; beyond the queue the response is 503.
 */
const LOGINS: ShareLimits = { capacity: 2, share: 1, waiting: 200, waitingPerCaller: 64, waitMs: 60_000 };
const NEW_PASSWORDS: ShareLimits = { ...LOGINS, capacity: 1 };

const derive = promisify(argon2);

/** A stored hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const PREFIX = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}$`;

/** A hash that no password matches. Compared for an unknown user, so that it takes as long as a wrong password. */
const UNMATCHABLE = `${PREFIX}${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(TAG_BYTES))}`;

const RETRY_AFTER_SECONDS = 5;

const busy = (what: string) => (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    `The server is busy with ${what}. Retry in ${RETRY_AFTER_SECONDS} seconds.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );

/** The queues in which logins and new passwords wait for their turn. */
export const passwordHashes = {
  logins: makeShares(LOGINS, busy('other logins')),
  newPasswords: makeShares(NEW_PASSWORDS, busy('other new passwords')),
};
let done = 0;

/** The number of hashes that this process has computed, and of those that wait. */
export const hashingWork = (): { done: number; waiting: number } => ({
  done,
  waiting: passwordHashes.logins.waiting + passwordHashes.newPasswords.waiting,
});

/** The hash of a new password. `caller` is the network or account that chose it. */
export async function hashPassword(password: string, caller = ''): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const parameters = { ...PARAMETERS, nonce, tagLength: TAG_BYTES };
  const tag = await compute(passwordHashes.newPasswords, caller, password, parameters);
  return `${PREFIX}${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Whether the password matches the hash. Without a hash, it returns false after the same amount of work. `caller` is the network
 * that sent it.
 */
export async function matchesPassword(password: string, hash: string | null, caller = ''): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash ?? UNMATCHABLE) ?? [];
  if (salt === undefined || tag === undefined)
    throw new Error('A stored password hash has an unknown format');
  const expected = Buffer.from(tag, 'base64');
  const computed = await compute(passwordHashes.logins, caller, password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  });
  return timingSafeEqual(computed, expected) && hash !== null;
}

/** True for a hash with different parameters than the current ones. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(PREFIX);

async function compute(
  shares: Shares,
  caller: string,
  password: string,
  parameters: Omit<Argon2Parameters, 'message'>,
): Promise<Buffer> {
  const release = await shares.acquire(caller);
  try {
    done++;
    // A different keyboard can send the same letters in a different Unicode composition.
    return await derive('argon2id', { ...parameters, message: password.normalize('NFKC') });
  } finally {
    release();
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
