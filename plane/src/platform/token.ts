import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

/**
 * A token starts with the prefix that Unleash SDKs and proxies expect (`*:production.`, `user:`). Then comes the secret: a prefix
 * per kind that secret scanners recognize, 256 random bits and a checksum, in letters and digits.
 */
const PREFIXES = {
  client: 'hyc',
  backend: 'hyc',
  frontend: 'hyf',
  edge: 'hye',
  personal: 'hyp',
  service: 'hys',
  session: 'hyw',
  'password-link': 'hyl',
  signup: 'hyi',
  refresh: 'hyr',
} as const;

export type TokenKind = keyof typeof PREFIXES;

/** Published in the docs, so that secret scanners can find leaked tokens. */
export const SECRET_PATTERN = /hy[cefilprsw]_[0-9A-Za-z]{49}$/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

export function newToken(kind: TokenKind, prefix: string): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH);
  const secret = `${PREFIXES[kind]}_${random}`;
  return `${prefix}${secret}${checksum(secret)}`;
}

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Returns the part of a token that is shown after its creation. It identifies the token and cannot be used. */
export function getTokenHint(token: string): string {
  const secretStart = token.lastIndexOf('.') + 1;
  return `${token.slice(0, secretStart)}…${token.slice(-4)}`;
}

/** Whether a secret in our format has a wrong checksum. Such a token is rejected without a query. */
export function isForged(token: string): boolean {
  const secret = SECRET_PATTERN.exec(token)?.[0];
  if (secret === undefined) return false;
  return checksum(secret.slice(0, -CHECKSUM_LENGTH)) !== secret.slice(-CHECKSUM_LENGTH);
}

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let remaining = value; remaining > 0n; remaining /= 62n) text = DIGITS[Number(remaining % 62n)] + text;
  return text.padStart(length, '0');
}

/** Reads the Authorization header. Returns undefined if it is empty, because API explorers send it empty with the session cookie. */
export const readToken = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization?.replace(/^bearer(\s|$)/i, '').trim() || undefined;
