import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ApiError, badData, invalidOperation } from '../../../plane/src/platform/errors.ts';
import type { Actor } from '../platform/actor.ts';
import type { Keyring } from '../platform/secrets/seal.ts';
import type { StoredOperation } from '../record/operations/stored.ts';

/** A flag as it was when the plan was made: its ETag, and its newest event. */
export type Base = { name: string; etag: string; event: number };

/** A previewed change that can be applied. It contains everything that is needed to apply it, so no server has to store it. */
export type Plan = {
  project: string;
  operations: StoredOperation[];
  base: Base[];
  reason: string;
  /** The token or admin token that made the plan. Nobody else can apply it. */
  credential: string;
  /** Seconds since 1970. */
  expiresAt: number;
};

export const PLAN_MINUTES = 15;

/** A plan travels in a tool result and back in the next call, so it must be small. */
export const MAX_PLAN_LENGTH = 2_000;

/** The first key signs, all keys verify. */
export type PlanKeys = readonly Buffer[];

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 18;
const INFO = 'halyard mcp plan';
/** Larger than any valid plan. Without this limit, a small compressed string could fill the memory. */
const MAX_INFLATED = 65_536;

/** Without a key in the settings, plans are valid on this server until it restarts. */
export const planKeysOf = (keyring: Keyring): PlanKeys =>
  keyring.length === 0
    ? [randomBytes(KEY_BYTES)]
    : keyring.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', INFO, KEY_BYTES)));

export const credentialOf = ({ credential }: Actor): string =>
  credential === undefined ? '' : `${credential.table}:${credential.id}`;

const signatureOf = (key: Buffer, content: Buffer): Buffer =>
  createHmac('sha256', key).update(content).digest().subarray(0, SIGNATURE_BYTES);

/** Covers the operations, the versions of the flags, and the effect that was shown. */
export const hashOf = ({ project, operations, base, reason }: Plan, diff: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([project, operations, base, reason, diff]))
    .digest('hex')
    .slice(0, 32);

export function signPlan(keys: PlanKeys, plan: Plan, hash: string): string {
  const content = deflateRawSync(JSON.stringify({ plan, hash }));
  const [key] = keys;
  if (!key) throw new Error('There is no key to sign plans with');
  const text = Buffer.concat([signatureOf(key, content), content]).toString('base64url');
  if (text.length > MAX_PLAN_LENGTH)
    throw badData([{ message: 'The plan is too large. Make several plans with fewer changes each.' }]);
  return text;
}

/** Reads a plan that this installation signed for this caller. Each kind of invalid plan gets its own message. */
export function openPlan(keys: PlanKeys, text: string, hash: string, actor: Actor, now: Date): Plan {
  const bytes = Buffer.from(text, 'base64url');
  const [signature, content] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
  const isSigned = keys.some(
    key => signature.length === SIGNATURE_BYTES && timingSafeEqual(signatureOf(key, content), signature),
  );
  // base64url ignores unknown characters, so a changed string can have the same bytes.
  if (!isSigned || bytes.toString('base64url') !== text)
    throw rejected('The plan was altered, or a server with a different key made it. Call plan_change again.');
  const json = inflateRawSync(content, { maxOutputLength: MAX_INFLATED }).toString();
  const signed = JSON.parse(json) as { plan: Plan; hash: string };
  const { plan } = signed;
  if (plan.credential !== credentialOf(actor))
    throw rejected('The plan was made with a different token. Call plan_change with this one.');
  if (plan.expiresAt * 1_000 <= now.getTime())
    throw new ApiError(
      'PreconditionFailedError',
      `The plan has expired: plans are valid for ${PLAN_MINUTES} minutes. Call plan_change again.`,
    );
  if (signed.hash !== hash)
    throw rejected('The hash does not match the plan. Pass both as plan_change returned them.');
  return plan;
}

const rejected = (message: string): ApiError => invalidOperation(message);
