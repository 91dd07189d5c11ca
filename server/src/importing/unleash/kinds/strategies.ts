import { createHash } from 'node:crypto';
import type { Constraint } from '../../../targeting/constraints/schema.ts';
import { StrategyVariantInputs, VariantInputs } from '../../../targeting/variants/schema.ts';
import { distributeWeights, withoutUnknownFields } from '../../../targeting/variants/weights.ts';
import { optionalText, parseList, parseObject, type SourceRow, toText } from '../source/source.ts';
import { asConstraint } from './constraints.ts';
import type { Problem } from './kind.ts';
import { acceptableProblem, rejectedProblem } from './vocabulary.ts';

export type VariantState = {
  name: string;
  weight: number;
  weightType?: string;
  stickiness?: string;
  payload?: { type: string; value: string };
  overrides?: { contextName: string; values: string[] }[];
};

export type StrategyState = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  sortOrder: number;
  parameters: Record<string, string>;
  constraints: Constraint[];
  variants: VariantState[];
  /** Names of segments, in order. */
  segments: string[];
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TOTAL_WEIGHT = 1_000;

/**
 * Converts an id to a UUID, because newer versions of Unleash use ids that are not UUIDs. Equal ids always produce equal UUIDs.
 */
export function toUuid(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const hex = createHash('sha256').update(id).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Converts a row of `feature_strategies`, or a default strategy, to the form that Halyard stores. */
export function toStrategy(
  row: SourceRow,
  sortOrder: number,
  segments: string[],
): { strategy: StrategyState; problems: Problem[] } {
  // Halyard stores parameters as strings. SDKs treat a number and its string alike.
  const parameters = Object.fromEntries(
    Object.entries(parseObject(row.parameters))
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const { variants, problems } = toVariants(row.variants, StrategyVariantInputs);
  const strategy = {
    id: toUuid(toText(row.id)),
    name: toText(row.strategy_name),
    title: optionalText(row.title) || null,
    disabled: row.disabled === true,
    sortOrder,
    parameters,
    constraints: parseList(row.constraints).map(asConstraint),
    variants,
    segments: segments.toSorted(),
  };
  const mismatchedVariant = variants.find(
    ({ stickiness }) => parameters.stickiness !== undefined && stickiness !== parameters.stickiness,
  );
  if (mismatchedVariant !== undefined)
    problems.push(
      rejectedProblem(
        `variant "${mismatchedVariant.name}" has stickiness "${mismatchedVariant.stickiness}" but its strategy has "${parameters.stickiness}"; in Halyard, they must be the same`,
      ),
    );
  return { strategy, problems };
}

export const toFeatureVariants = (storedVariants: unknown) => toVariants(storedVariants, VariantInputs);

const isTextOrAbsent = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string';

/** Returns whether SDKs can read the variant. The source may contain anything. */
const isWellFormed = ({ name, weightType, stickiness, payload, overrides }: VariantState): boolean =>
  [name, weightType, stickiness, payload?.type, payload?.value].every(isTextOrAbsent) &&
  (!payload || !Array.isArray(payload)) &&
  (!overrides ||
    (Array.isArray(overrides) &&
      overrides.every(
        override =>
          typeof override?.contextName === 'string' &&
          parseList(override.values).every(value => typeof value === 'string'),
      )));

/** Returns the variants with unchanged weights, because weights determine which users get which variant. */
function toVariants(
  storedVariants: unknown,
  schema: typeof StrategyVariantInputs | typeof VariantInputs,
): { variants: VariantState[]; problems: Problem[] } {
  const sourceVariants = parseList(storedVariants).map(parseObject).map(withoutNulls);
  const variants = withoutUnknownFields(schema, sourceVariants) as VariantState[];
  const { violations = [] } = distributeWeights(variants as VariantInputs, '');
  const total = variants.reduce((sum, { weight }) => sum + Number(weight), 0);
  const problems = violations.map(({ message }) => acceptableProblem(`variants: ${message}`));
  if (!variants.every(isWellFormed))
    problems.push(rejectedProblem('variants: a field has a value of the wrong type'));
  if (variants.some(({ weight }) => !Number.isInteger(weight) || weight < 0 || weight > TOTAL_WEIGHT))
    problems.push(
      rejectedProblem(`a variant has a weight that is not a whole number from 0 to ${TOTAL_WEIGHT}`),
    );
  else if (problems.length === 0 && variants.length > 0 && total !== TOTAL_WEIGHT)
    problems.push(acceptableProblem(`variants: the weights add up to ${total}, not ${TOTAL_WEIGHT}`));
  return { variants, problems };
}

const withoutNulls = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
