import type { Operator } from '../../targeting/constraints/schema.ts';

/**
 * A flag in a model that fits all source products: it has variations and, in each environment, a list of rules that are tried in
 * order until one matches. A reader for each product translates its data into this model, and translate.ts turns the model into
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
  /** The payload that an application gets with the variant. Undefined for a flag that is only true or false. */
  payload?: { type: 'string' | 'number' | 'json'; value: string };
};

export type Targeting = {
  on: boolean;
  rules: Rule[];
  /** What users get if no rule matches them. */
  otherwise: Serve;
  /** The variation that everyone gets while the flag is off. */
  off: number | undefined;
  parents: Parent[];
  /** Whether a negated condition is true for a context without the field, as in Halyard. In most products, it is false. */
  negationMatchesMissingField?: boolean;
};

/**
 * Serves one variation, splits users among several, or serves one to a share of the users. Weights add up to 1. Users outside a
 * share continue with the next rule.
 */
export type Serve = { variation: number } | Split | Share;
export type Split = { split: { variation: number; weight: number }[]; by: string };
export type Share = { variation: number; share: number; by: string };

export type Rule = { title: string; when: AnyOf; serve: Serve };

/** A list of alternatives. Each alternative is a list of conditions that must all be true. */
export type AnyOf = AllOf[];
export type AllOf = Condition[];

/** A condition is false for a context without the field. By default, the same is true of a negated condition. */
export type Condition = Comparison | SegmentReference;
export type Comparison = {
  field: string;
  operator: Operator;
  values: string[];
  negated: boolean;
  caseInsensitive?: boolean;
};
/** A segment with a single list of comparisons, so that it can become a Halyard segment. */
export type SegmentReference = { segment: string; comparisons: Comparison[] };

export type Parent = { key: string; variation: number };

/** Something that has no equivalent in Halyard. The flag stays disabled in the environment, and the report says why. */
export type Unsupported = { unsupported: string };

/** Thrown by readers. Affects only the flag being read, and only in one environment. */
export class UnsupportedError extends Error {}

export const isSegment = (condition: Condition): condition is SegmentReference => 'segment' in condition;

export const isUnsupported = (targeting: Targeting | Unsupported): targeting is Unsupported =>
  'unsupported' in targeting;
