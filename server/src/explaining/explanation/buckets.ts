import murmurHash3 from 'murmurhash3js';
import { type Context, contextValue } from './context.ts';

const VARIANT_SEED = 86_028_157;

/** What decides a user's bucket: the value of a context field, or chance. */
export type Sticky = {
  stickiness: string;
  /** The context field that the value comes from. Null: there is no value. */
  stickinessField: string | null;
  stickinessValue: string | null;
  /** Whether each evaluation picks a random bucket. */
  random: boolean;
};

const hashed = (groupId: string, value: string, seed: number, buckets: number): number =>
  (murmurHash3.x86.hash32(`${groupId}:${value}`, seed) % buckets) + 1;

/** 1 to 100. */
export const rolloutBucket = (groupId: string, value: string): number => hashed(groupId, value, 0, 100);

/** 1 to the total weight. */
export const variantBucket = (groupId: string, value: string, totalWeight: number): number =>
  hashed(groupId, value, VARIANT_SEED, totalWeight);

/** The first of the context fields that has a value. */
export function firstValue(context: Context, fields: readonly string[]): Sticky | undefined {
  for (const field of fields) {
    const value = Object.hasOwn(context, field) ? context[field] : undefined;
    if (typeof value === 'string' && value !== '')
      return { stickiness: 'default', stickinessField: field, stickinessValue: value, random: false };
  }
  return undefined;
}

/** The value of the one field that the stickiness names. */
export function namedValue(context: Context, stickiness: string): Sticky | undefined {
  const value = contextValue(context, stickiness);
  return value
    ? { stickiness, stickinessField: stickiness, stickinessValue: value, random: false }
    : undefined;
}

export const drawn = (stickiness: string, value: number): Sticky => ({
  stickiness,
  stickinessField: null,
  stickinessValue: String(value),
  random: true,
});
