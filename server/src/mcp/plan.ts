import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ApiError, badData, invalidOperation } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../platform/actor.ts';
import type { Keyring } from '../platform/secrets/seal.ts';
import type { StoredOperation } from '../record/operations/stored.ts';

/** A flag as it was when the plan was created: its ETag, and its newest event. */
export type FlagVersion = { name: string; etag: string; event: number };

/** A previewed change that can be applied. It contains everything needed to apply it, so no server has to store it. */
export type Plan = {
  project: string;
  operations: StoredOperation[];
  base: FlagVersion[];
  reason: string;
  /** The credential used to create the plan. No other credential can apply it. */
  credential: string;
  /** Unix time in seconds. */
  expiresAt: number;
};

export const PLAN_LIFETIME_MINUTES = 15;

/** A plan travels in a tool result and back in the next call, so it must be small. */
export const MAX_PLAN_LENGTH = 2_000;

/** The keys for plans. The first key signs, and all keys verify. */
export type PlanKeys = readonly Buffer[];

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 18;
const KEY_INFO = 'halyard mcp plan';
/** The limit is larger than any valid plan. Without it, a small compressed string could exhaust memory. */
const MAX_INFLATED_BYTES = 65_536;

/** Returns the keys for plans. Without a configured key, plans are valid only on this server, and only until it restarts. */
export const derivePlanKeys = (keyring: Keyring): PlanKeys =>
  keyring.length === 0
    ? [randomBytes(KEY_BYTES)]
    : keyring.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', KEY_INFO, KEY_BYTES)));

export const formatCredential = ({ credential }: Actor): string =>
  credential === undefined ? '' : `${credential.table}:${credential.id}`;

const computeSignature = (key: Buffer, content: Buffer): Buffer =>
  createHmac('sha256', key).update(content).digest().subarray(0, SIGNATURE_BYTES);

/** Returns the hash of a plan, which covers the operations, the versions of the flags and the diff that was shown. */
export const hashPlan = ({ project, operations, base, reason }: Plan, diff: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([project, operations, base, reason, diff]))
    .digest('hex')
    .slice(0, 32);

export function signPlan(keys: PlanKeys, plan: Plan, hash: string): string {
  const content = deflateRawSync(JSON.stringify({ plan, hash }));
  const [key] = keys;
  if (!key) throw new Error('There is no key to sign plans with');
  const text = Buffer.concat([computeSignature(key, content), content]).toString('base64url');
  if (text.length > MAX_PLAN_LENGTH)
    throw badData([{ message: 'The plan is too large. Make several plans with fewer changes each.' }]);
  return text;
}

/** Verifies and decodes a signed plan. Each kind of invalid plan gets its own message. */
export function verifyPlan(keys: PlanKeys, text: string, hash: string, actor: Actor, now: Date): Plan {
  const bytes = Buffer.from(text, 'base64url');
  const [signature, content] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
  const isSigned = keys.some(
    key => signature.length === SIGNATURE_BYTES && timingSafeEqual(computeSignature(key, content), signature),
  );
  // Node's base64url decoder skips invalid characters, so an altered string can decode to the same bytes.
  if (!isSigned || bytes.toString('base64url') !== text)
    throw invalidOperation(
      'The plan was altered, or was created by a server with a different key. Call plan_change again.',
    );
  const json = inflateRawSync(content, { maxOutputLength: MAX_INFLATED_BYTES }).toString();
  const payload = JSON.parse(json) as { plan: Plan; hash: string };
  const { plan } = payload;
  if (plan.credential !== formatCredential(actor))
    throw invalidOperation('The plan was created with a different token. Call plan_change with this one.');
  if (plan.expiresAt * 1_000 <= now.getTime())
    throw new ApiError(
      'PreconditionFailedError',
      `The plan has expired: plans are valid for ${PLAN_LIFETIME_MINUTES} minutes. Call plan_change again.`,
    );
  if (payload.hash !== hash)
    throw invalidOperation('The hash does not match the plan. Pass both as plan_change returned them.');
  return plan;
}
