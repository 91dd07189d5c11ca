import type { Operator } from '../../targeting/constraints/schema.ts';

/**
 * The model that the other products share: a flag has variations and, in each environment, a list of rules that are tried in
 * order until one matches. The reader for each product translates its data into this model, and translate.ts turns the model into
 * strategies.
 */
export type Flag = {
  key: string;
  description: string;
  tags: string[];
  type: 'release' | 'operational';
  variations: Variation[];
  environments: Map<string, Targeting | Unsupported>;
};

export type Variation = {
  name: string;
  /** Whether an application that evaluates the flag gets true. */
  enabled: boolean;
  /** What an application gets when it asks for the variant. Undefined for a flag that is only true or false. */
  payload?: { type: 'string' | 'number' | 'json'; value: string };
};

export type Targeting = {
  on: boolean;
  rules: Rule[];
  /** What users get whom no rule matches. */
  otherwise: Serve;
  /** The variation that everyone gets while the flag is off. */
  off: number | undefined;
  parents: Parent[];
};

/** Serves one variation, or splits users among several. The weights add up to 1. */
export type Serve = { variation: number } | { split: { variation: number; weight: number }[]; by: string };

export type Rule = { title: string; when: AnyOf; serve: Serve };

/** Alternatives, each of them a list of conditions that must all be true. */
export type AnyOf = AllOf[];
export type AllOf = Condition[];

/** A condition is false for a context without the field, even if it is negated. */
export type Condition = Comparison | SegmentReference;
export type Comparison = {
  field: string;
  operator: Operator;
  values: string[];
  negated: boolean;
  caseInsensitive?: boolean;
};
/** A segment that is one list of comparisons, so that it can become a Halyard segment. */
export type SegmentReference = { segment: string; comparisons: Comparison[] };

export type Parent = { key: string; variation: number };

/** Something that has no equivalent in Halyard. The flag stays disabled in the environment, and the report says why. */
export type Unsupported = { unsupported: string };

/** Readers throw this error, and it is caught for each environment of a flag. */
export class UnsupportedError extends Error {}

export const isSegment = (condition: Condition): condition is SegmentReference => 'segment' in condition;

export const isUnsupported = (targeting: Targeting | Unsupported): targeting is Unsupported =>
  'unsupported' in targeting;
