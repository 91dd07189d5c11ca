import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { FeedSchema, type TrustedKeys } from '../snapshot/format.ts';
import { keyId, type SigningKey } from '../snapshot/keys.ts';

/** A fixed prefix, so that people and secret scanners recognize an enrolment. */
const PREFIX = 'halyard-edge-1.';

const Enrolment = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_000 }),
  feed: FeedSchema,
  token: Type.String({ minLength: 1, maxLength: 512 }),
  /** Public keys in DER (SPKI), in base64. */
  keys: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 4 }),
});
/** Everything that an edge needs to start: the server's URL, the feed to read, and the keys whose signatures to trust. */
export type Enrolment = Static<typeof Enrolment>;
const isEnrolment = Compile(Enrolment);

export const enrolmentText = (enrolment: Enrolment): string =>
  `${PREFIX}${Buffer.from(JSON.stringify(enrolment)).toString('base64url')}`;

export const publicKeyText = ({ publicKey }: Pick<SigningKey, 'publicKey'>): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

/** Throws an error that says what is wrong. It does not quote the string, which contains a secret. */
export function readEnrolment(text: string): Enrolment {
  const trimmedText = text.trim();
  if (!trimmedText.startsWith(PREFIX)) throw new Error(`An enrolment starts with "${PREFIX}".`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(trimmedText.slice(PREFIX.length), 'base64url').toString());
  } catch {
    throw new Error('The enrolment is incomplete or damaged. Copy the whole string.');
  }
  if (!isEnrolment.Check(value))
    throw new Error('The enrolment is missing required fields. Create a new edge token.');
  return value;
}

export const parseTrustedKeys = (texts: readonly string[]): TrustedKeys =>
  new Map(texts.map(parseTrustedKey));

function parseTrustedKey(text: string): [string, KeyObject] {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return [keyId(key), key];
  } catch (error) {
    throw new Error('A public key is damaged. Copy the whole enrolment string.', { cause: error });
  }
}
