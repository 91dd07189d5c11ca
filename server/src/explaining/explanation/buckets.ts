import murmurHash3 from 'murmurhash3js';
import { type Context, getContextValue } from './context.ts';

const VARIANT_SEED = 86_028_157;

/** What determines a user's bucket: the value of a context field, or chance. */
export type BucketSource = {
  stickiness: string;
  /** The context field that the value comes from. Null if there is no value. */
  stickinessField: string | null;
  stickinessValue: string | null;
  /** Whether each evaluation picks a random bucket. */
  random: boolean;
};

const hashToBucket = (groupId: string, value: string, seed: number, buckets: number): number =>
  (murmurHash3.x86.hash32(`${groupId}:${value}`, seed) % buckets) + 1;

/** Returns a bucket from 1 to 100. */
export const computeRolloutBucket = (groupId: string, value: string): number =>
  hashToBucket(groupId, value, 0, 100);

/** Returns a bucket from 1 to the total weight. */
export const computeVariantBucket = (groupId: string, value: string, totalWeight: number): number =>
  hashToBucket(groupId, value, VARIANT_SEED, totalWeight);

/** Returns the first of the context fields that has a value. */
export function findSourceIn(context: Context, fields: readonly string[]): BucketSource | undefined {
  for (const field of fields) {
    const value = Object.hasOwn(context, field) ? context[field] : undefined;
    if (typeof value === 'string' && value !== '')
      return { stickiness: 'default', stickinessField: field, stickinessValue: value, random: false };
  }
  return undefined;
}

/** Returns the value of the field that the stickiness names. */
export function findSource(context: Context, stickiness: string): BucketSource | undefined {
  const value = getContextValue(context, stickiness);
  return value
    ? { stickiness, stickinessField: stickiness, stickinessValue: value, random: false }
    : undefined;
}

export const makeRandomSource = (stickiness: string, value: number): BucketSource => ({
  stickiness,
  stickinessField: null,
  stickinessValue: String(value),
  random: true,
});
