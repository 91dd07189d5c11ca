import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { SnapshotError, type TrustedKeys } from '../snapshot/format.ts';
import type { SigningKey } from '../snapshot/keys.ts';
import { publicKeyText } from './enrolment.ts';
import { FRAME_VERSION } from './frames.ts';
import { readSigned, signJson } from './signed.ts';

/** The keys that are valid from now on, the newest first, in DER (SPKI) and base64. */
const Announcement = Type.Object({
  v: Type.Literal(FRAME_VERSION),
  log: Type.Literal('keys'),
  keys: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 2 }),
});
const validator = Compile(Announcement);

/** Edges recognize announcements by this prefix, even those signed with a key that is no longer valid. */
const PREFIX = `{"v":${FRAME_VERSION},"log":"keys",`;

/**
 * Announces the keys of a server. While there is a previous key, the announcement is signed with it, because edges already trust
 * that key. Afterwards the current key signs, and edges no longer trust the previous one.
 */
export function signAnnouncement(current: SigningKey, previous: SigningKey | undefined): string {
  const keys = [current, ...(previous ? [previous] : [])].map(publicKeyText);
  const announcement: Static<typeof Announcement> = { v: FRAME_VERSION, log: 'keys', keys };
  return signJson(announcement, previous ?? current);
}

export const isAnnouncement = (text: string): boolean => text.startsWith(PREFIX);

/** Returns the id of the key that a text claims to be signed with. The signature has not been verified yet. */
export const readSignerId = (text: string): string => text.split('\n', 2)[1]?.split(' ')[0] ?? '';

/** Returns the public keys. Throws a `SnapshotError` if no trusted key signed them. */
export function readAnnouncement(text: string, trustedKeys: TrustedKeys): string[] {
  const value = readSigned(text, trustedKeys);
  if (!validator.Check(value)) throw new SnapshotError('The key announcement is missing required fields.');
  return value.keys;
}
