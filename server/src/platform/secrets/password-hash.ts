import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { makeShares, type ShareLimits, type Shares } from '@halyard/plane/platform/admission/shares.ts';
import { ApiError } from '@halyard/plane/platform/errors.ts';

/**
 * OWASP's first recommendation for argon2id: 19 MiB, two passes and one lane, which takes about 60 ms. After the parameters change,
 * a login rehashes the password.
 */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Each hash takes 19 MiB and one of the four threads that Node also uses to read files and resolve names. Logins have two of
 * them, and new passwords have one, so that no number of signups delays a login. Client networks take turns. With 30 passwords in
 * the queue, a network waits for 2 s, and when the queue is full, the server responds with 503.
 */
const LOGINS: ShareLimits = { capacity: 2, share: 1, waiting: 200, waitingPerCaller: 64, waitMs: 60_000 };
const NEW_PASSWORDS: ShareLimits = { ...LOGINS, capacity: 1 };

const derive = promisify(argon2);

/** A stored hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const PREFIX = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}$`;

/** A hash that no password matches. It is checked for unknown users, so that they take as long as a wrong password. */
const UNMATCHABLE_HASH = `${PREFIX}${removePadding(randomBytes(SALT_BYTES))}$${removePadding(randomBytes(TAG_BYTES))}`;

const RETRY_AFTER_SECONDS = 5;

const makeBusyError = (work: string) => (): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    `The server is busy with ${work}. Retry in ${RETRY_AFTER_SECONDS} seconds.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );

/** The queues in which logins and new passwords wait for their turn. */
export const passwordHashes = {
  logins: makeShares(LOGINS, makeBusyError('other logins')),
  newPasswords: makeShares(NEW_PASSWORDS, makeBusyError('other new passwords')),
};
let doneCount = 0;

/** Returns how many hashes this process has computed, and how many are waiting. */
export const countHashes = (): { done: number; waiting: number } => ({
  done: doneCount,
  waiting: passwordHashes.logins.waiting + passwordHashes.newPasswords.waiting,
});

/** Returns the hash of a new password. `caller` is the network or account that chose it. */
export async function hashPassword(password: string, caller = ''): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const parameters = { ...PARAMETERS, nonce, tagLength: TAG_BYTES };
  const tag = await computeTag(passwordHashes.newPasswords, caller, password, parameters);
  return `${PREFIX}${removePadding(nonce)}$${removePadding(tag)}`;
}

/**
 * Returns whether the password matches the hash. Without a hash, it returns false after the same amount of work. `caller` is the
 * network that sent the password.
 */
export async function matchesPassword(password: string, hash: string | null, caller = ''): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash ?? UNMATCHABLE_HASH) ?? [];
  if (salt === undefined || tag === undefined)
    throw new Error('A stored password hash has an unknown format');
  const expectedTag = Buffer.from(tag, 'base64');
  const computedTag = await computeTag(passwordHashes.logins, caller, password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expectedTag.length,
  });
  return timingSafeEqual(computedTag, expectedTag) && hash !== null;
}

/** Returns whether a hash has different parameters than the current ones. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(PREFIX);

async function computeTag(
  shares: Shares,
  caller: string,
  password: string,
  parameters: Omit<Argon2Parameters, 'message'>,
): Promise<Buffer> {
  const release = await shares.acquire(caller);
  try {
    doneCount++;
    // Different keyboards can send the same letters in different Unicode normalization forms.
    return await derive('argon2id', { ...parameters, message: password.normalize('NFKC') });
  } finally {
    release();
  }
}

function removePadding(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
