import { Named, NamedObject, Optional } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const OPERATORS = [
  'IN',
  'NOT_IN',
  'STR_CONTAINS',
  'STR_STARTS_WITH',
  'STR_ENDS_WITH',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_BEFORE',
  'DATE_AFTER',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_LT',
  'SEMVER_GTE',
  'SEMVER_LTE',
  'REGEX',
  'IN_CIDR',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** A constraint in a request body. */
export const ConstraintInput = NamedObject(
  'Constraint',
  {
    contextName: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The context field that the constraint compares',
      examples: ['userId'],
    }),
    operator: Type.Unsafe<Operator>({
      title: 'ConstraintOperator',
      type: 'string',
      enum: OPERATORS,
      description:
        'IN, NOT_IN, STR_* and IN_CIDR compare the field with values; all other operators compare it with value',
    }),
    caseInsensitive: Optional.Boolean({
      description: 'Whether STR_* and REGEX ignore case; false by default',
    }),
    inverted: Optional.Boolean({ description: 'Negates the result; false by default' }),
    values: Optional.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 1_000,
      description:
        'For IN, NOT_IN and STR_*: the field must match one of these values. For IN_CIDR: IPv4 or IPv6 addresses, or ranges such as 10.0.0.0/8.',
      examples: [['7', '11']],
    }),
    value: Optional.String({
      maxLength: 256,
      description: 'For the other operators: a number, date, semantic version or pattern in RE2 syntax',
      examples: ['1.4.0'],
    }),
  },
  {
    description: 'A condition on a context field',
    examples: [
      { contextName: 'userId', operator: 'IN', values: ['7', '11'] },
      { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8', '2001:db8::/32'] },
    ],
  },
);

/**
 * Bounds the work. The maximum is larger than the limit of 30 constraints, so that rules.ts can reject more than 30 with
 * ExceedsLimitError.
 */
export const ConstraintInputs = Type.Array(ConstraintInput, { maxItems: 100 });

export const Constraint = Named('Constraint', ConstraintInput);
export type Constraint = Static<typeof Constraint>;
