import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../errors.ts';

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. About 60 ms. A login rehashes with new parameters. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Each hash takes 19 MiB and one of the four threads with which Node also reads files and resolves names. Two at a time take
 * 38 MiB and leave two threads. A full queue is about 2 s of work. Further logins get 503.
 */
const AT_ONCE = 2;
const MAX_WAITING = 64;

const derive = promisify(argon2);

/** A stored hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const PREFIX = `$argon2id$v=19$m=${PARAMETERS.memory},t=${PARAMETERS.passes},p=${PARAMETERS.parallelism}$`;

/** A hash that no password matches. Compared for an unknown user, so that it takes as long as a wrong password. */
const UNMATCHABLE = `${PREFIX}${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(TAG_BYTES))}`;

const work = { running: 0, waiting: [] as (() => void)[], done: 0 };

/** The number of hashes that this process has computed, and of those that wait. */
export const hashingWork = (): { done: number; waiting: number } => ({
  done: work.done,
  waiting: work.waiting.length,
});

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await compute(password, { ...PARAMETERS, nonce, tagLength: TAG_BYTES });
  return `${PREFIX}${unpadded(nonce)}$${unpadded(tag)}`;
}

/** Whether the password matches the hash. False without a hash, after the same work. */
export async function matchesPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash ?? UNMATCHABLE) ?? [];
  if (salt === undefined || tag === undefined)
    throw new Error('A stored password hash has an unknown format');
  const expected = Buffer.from(tag, 'base64');
  const computed = await compute(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  });
  return timingSafeEqual(computed, expected) && hash !== null;
}

/** True for a hash with other parameters than the current ones. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(PREFIX);

async function compute(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  await takeTurn();
  try {
    work.done++;
    // Another keyboard can send the same letters in another Unicode composition.
    return await derive('argon2id', { ...parameters, message: password.normalize('NFKC') });
  } finally {
    const next = work.waiting.shift();
    if (next) next();
    else work.running--;
  }
}

async function takeTurn(): Promise<void> {
  if (work.running < AT_ONCE) {
    work.running++;
    return;
  }
  if (work.waiting.length >= MAX_WAITING) {
    throw new ApiError('ServiceUnavailableError', 'Too many logins at once. Retry in a few seconds.');
  }
  // A finished hash starts the next one, so the number of running hashes stays the same.
  await new Promise<void>(resolve => work.waiting.push(resolve));
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
