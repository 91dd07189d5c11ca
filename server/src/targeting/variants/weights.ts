import type { Violation } from '@halyard/plane/platform/errors.ts';
import { NAME_RULE, URL_NAME } from '@halyard/plane/platform/http/schema.ts';
import type { TSchema } from 'typebox';
import { isNumber } from '../constraints/values.ts';
import type { Variant } from './schema.ts';

const TOTAL_WEIGHT = 1_000;
const NAME = new RegExp(URL_NAME);

/** The fields that the rules check. A variant without a weightType is variable. */
export type WeightedVariant = Pick<Variant, 'name' | 'weight' | 'weightType' | 'payload'>;

export type Distribution<V> =
  | { variants: V[]; violations?: undefined }
  | { variants?: undefined; violations: Violation[] };

/**
 * Gives variable variants an equal share of the weight that fixed variants leave, so that all weights add up to 1000. If the
 * remainder does not divide evenly, the first variants get one thousandth more. `path` points to the list in the request.
 */
export function distributeWeights<V extends WeightedVariant>(
  variants: readonly V[],
  path: string,
): Distribution<V> {
  const violations = [...findVariantViolations(variants, path)];
  if (violations.length > 0) return { violations };

  const variableCount = variants.filter(isVariable).length;
  const remainingWeight = TOTAL_WEIGHT - sumFixedWeights(variants);
  let distributedCount = 0;
  return {
    variants: variants.map(variant => {
      if (!isVariable(variant)) return variant;
      const weight =
        Math.floor(remainingWeight / variableCount) +
        (distributedCount < remainingWeight % variableCount ? 1 : 0);
      distributedCount++;
      return { ...variant, weight };
    }),
  };
}

/**
 * Copies the variants without fields that the schema does not define, because unknown fields are never stored. TypeBox
 * could do this, but it processes the schema in each call, which took 100 ms for the variants of 1,000 features.
 */
export function withoutUnknownFields<T>(schema: TSchema, variants: T): T {
  return pick(schema, variants) as T;
}

function pick(schema: TSchema, value: unknown): unknown {
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> };
  if (items && Array.isArray(value)) return value.map(item => pick(items, item));
  if (!properties || typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) =>
      Object.hasOwn(fields, name) ? [[name, pick(member, fields[name])]] : [],
    ),
  );
}

const isVariable = (variant: WeightedVariant): boolean => variant.weightType !== 'fix';

const sumFixedWeights = (variants: readonly WeightedVariant[]): number =>
  variants.reduce((sum, variant) => (isVariable(variant) ? sum : sum + variant.weight), 0);

function* findVariantViolations(variants: readonly WeightedVariant[], path: string): Generator<Violation> {
  const seenNames = new Set<string>();
  for (const [index, { name, payload }] of variants.entries()) {
    if (!NAME.test(name)) yield { message: `name "${name}" ${NAME_RULE}`, path: `${path}/${index}/name` };
    if (seenNames.has(name))
      yield {
        message: `more than one variant is named "${name}"; names must be unique`,
        path: `${path}/${index}/name`,
      };
    seenNames.add(name);
    const problem = payload && findPayloadViolation(payload);
    if (problem !== undefined) yield { message: problem, path: `${path}/${index}/payload/value` };
  }
  const fixedWeight = sumFixedWeights(variants);
  if (fixedWeight > TOTAL_WEIGHT)
    yield { message: `the fixed weights add up to ${fixedWeight}; the maximum is ${TOTAL_WEIGHT}`, path };
  else if (fixedWeight < TOTAL_WEIGHT && variants.length > 0 && !variants.some(isVariable))
    yield {
      message: `the fixed weights add up to ${fixedWeight}; make one variant variable or raise them to ${TOTAL_WEIGHT}`,
      path,
    };
}

function findPayloadViolation({ type, value }: NonNullable<WeightedVariant['payload']>): string | undefined {
  if (type === 'json' && !isJson(value)) return 'a payload of type json must be valid JSON';
  if (type === 'number' && !isNumber(value)) return 'a payload of type number must be a number';
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
