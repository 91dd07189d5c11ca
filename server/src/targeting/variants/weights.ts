import type { Static, TSchema } from 'typebox';
import type { Violation } from '../../platform/errors.ts';
import { NAME_RULE, URL_NAME } from '../../platform/http/schema.ts';
import { isNumber } from '../constraints/values.ts';
import type { Variant } from './schema.ts';

const WHOLE = 1_000;
const FRIENDLY = new RegExp(URL_NAME);

/** What the rules look at; a variant without a weightType is variable. */
export type Weighted = Pick<Variant, 'name' | 'weight' | 'weightType' | 'payload'>;

export type Distribution<V> =
  | { variants: V[]; violations?: undefined }
  | { variants?: undefined; violations: Violation[] };

/**
 * Gives variable variants an even share of what the fixed ones leave, the first ones one thousandth more where it does
 * not divide: the weights of any variants add up to 1000. `path` is where the list stands in the request.
 */
export function distributeWeights<V extends Weighted>(variants: readonly V[], path: string): Distribution<V> {
  const violations = [...variantViolations(variants, path)];
  if (violations.length > 0) return { violations };

  const count = variants.filter(isVariable).length;
  const rest = WHOLE - fixedSum(variants);
  let given = 0;
  return {
    variants: variants.map(variant => {
      if (!isVariable(variant)) return variant;
      const weight = Math.floor(rest / count) + (given < rest % count ? 1 : 0);
      given++;
      return { ...variant, weight };
    }),
  };
}

/**
 * A copy without what the schema does not know, at any depth: unknown fields are never stored. By hand, because
 * TypeBox prepares the schema again in each call, which for the variants of 1,000 features took 100 ms.
 */
export function knownFields<T extends TSchema>(schema: T, variants: Static<T>): Static<T> {
  return pick(schema, variants) as Static<T>;
}

function pick(schema: TSchema, value: unknown): unknown {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> };
  if (items && Array.isArray(value)) return value.map(item => pick(items, item));
  if (!properties || typeof value !== 'object' || value === null) return value;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) =>
      Object.hasOwn(given, name) ? [[name, pick(member, given[name])]] : [],
    ),
  );
}

const isVariable = (variant: Weighted): boolean => variant.weightType !== 'fix';

const fixedSum = (variants: readonly Weighted[]): number =>
  variants.reduce((sum, variant) => (isVariable(variant) ? sum : sum + variant.weight), 0);

function* variantViolations(variants: readonly Weighted[], path: string): Generator<Violation> {
  const seen = new Set<string>();
  for (const [index, { name, payload }] of variants.entries()) {
    if (!FRIENDLY.test(name)) yield { message: `name ${NAME_RULE}`, path: `${path}/${index}/name` };
    if (seen.has(name))
      yield { message: `another variant is called ${name} too`, path: `${path}/${index}/name` };
    seen.add(name);
    const says = payload && payloadMistake(payload);
    if (says !== undefined) yield { message: says, path: `${path}/${index}/payload/value` };
  }
  const fixed = fixedSum(variants);
  if (fixed > WHOLE)
    yield { message: `the fixed weights add up to ${fixed}, which is more than ${WHOLE}`, path };
  else if (fixed < WHOLE && variants.length > 0 && !variants.some(isVariable))
    yield {
      message: `at least one variant must be variable, or the fixed weights add up to ${WHOLE}`,
      path,
    };
}

function payloadMistake({ type, value }: NonNullable<Weighted['payload']>): string | undefined {
  if (type === 'json' && !isJson(value)) return 'a payload of type json must hold valid JSON';
  if (type === 'number' && !isNumber(value)) return 'a payload of type number must hold a number';
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
