import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { SnapshotError, type TrustedKeys } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { publicKeyText } from './enrolment.ts';
import { FRAME_VERSION } from './frames.ts';
import { readSigned, signed } from './signed.ts';

/** The keys that are valid from now on, the newest first, in DER (SPKI) and base64. */
const Announcement = Type.Object({
  v: Type.Literal(FRAME_VERSION),
  log: Type.Literal('keys'),
  keys: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
});
const isValid = Compile(Announcement);

/** How an announcement starts, so that an edge can ignore one that a key signed which is no longer valid. */
const START = `{"v":${FRAME_VERSION},"log":"keys",`;

/**
 * Announces the keys of a server. While there is a previous key, that one signs, because edges trust it already. Afterwards the
 * current key signs, and edges no longer trust the previous one.
 */
export function announcementOf(current: SigningKey, previous: SigningKey | undefined): string {
  const keys = [current, ...(previous ? [previous] : [])].map(publicKeyText);
  const announcement: Static<typeof Announcement> = { v: FRAME_VERSION, log: 'keys', keys };
  return signed(announcement, previous ?? current);
}

export const isAnnouncement = (text: string): boolean => text.startsWith(START);

/** The id of the key that a text names as its signer. Nothing was verified yet. */
export const signerOf = (text: string): string => text.split('\n', 2)[1]?.split(' ')[0] ?? '';

/** The public keys. Throws a `SnapshotError` if no trusted key signed them. */
export function readAnnouncement(text: string, trusted: TrustedKeys): string[] {
  const value = readSigned(text, trusted);
  if (!isValid.Check(value)) throw new SnapshotError('The announcement of keys lacks fields.');
  return value.keys;
}
