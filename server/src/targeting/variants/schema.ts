import {
  Named,
  NamedObject,
  Optional,
  Ref,
  SharedObject,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const name = UrlName({ description: 'Name of the variant', examples: ['blue'] });
const weight = Type.Integer({
  minimum: 0,
  maximum: 1_000,
  description: 'Share of users in thousandths. The server calculates the weight of a variable variant.',
  examples: [500],
});
const weightType = Type.Unsafe<'fix' | 'variable'>({
  type: 'string',
  enum: ['fix', 'variable'],
  description: 'fix: the given weight; variable: an equal share of the weight that fixed variants leave',
});
const stickiness = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The context field that determines which variant a user gets',
  examples: ['default'],
});
const payload = NamedObject('VariantPayload', 'A value that applications read', {
  type: Type.Unsafe<'string' | 'json' | 'csv' | 'number'>({
    description: 'string, json, csv or number',
    type: 'string',
    enum: ['string', 'json', 'csv', 'number'],
  }),
  value: Type.String({ description: 'The payload as a string', maxLength: 100_000, examples: ['#0000ff'] }),
});
const overrides = Type.Array(
  NamedObject('VariantOverride', {
    contextName: Type.String({
      description: 'Name of the context field',
      minLength: 1,
      maxLength: 100,
      examples: ['userId'],
    }),
    values: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'Users with one of these values get the variant',
      maxItems: 250,
    }),
  }),
  { maxItems: 30, description: 'Users who get this variant regardless of its weight' },
);

const strategyVariant = { name, weight, weightType, payload: Type.Optional(payload) };

/** The variant of a strategy in a request body. */
export const StrategyVariantInput = NamedObject('NewStrategyVariant', 'A variant of a strategy', {
  ...strategyVariant,
  stickiness: Optional.String({
    minLength: 1,
    maxLength: 100,
    description: 'Used only if the strategy has no stickiness parameter. Default: default',
    examples: ['default'],
  }),
});
export const StrategyVariantInputs = Type.Array(StrategyVariantInput, { maxItems: 100 });
export type StrategyVariantInputs = Static<typeof StrategyVariantInputs>;

/** The variant of a feature in an environment in a request body. */
export const VariantInput = NamedObject('Variant', 'A variant', {
  name,
  weight,
  weightType: Type.Optional(weightType),
  stickiness: Type.Optional(stickiness),
  payload: Type.Optional(payload),
  overrides: Type.Optional(overrides),
});

export const VariantInputs = Type.Array(VariantInput, {
  title: 'Variants',
  description: 'The variants',
  maxItems: 100,
  examples: [
    [
      { name: 'blue', weight: 500, weightType: 'variable', stickiness: 'default' },
      { name: 'red', weight: 500, weightType: 'variable', stickiness: 'default' },
    ],
  ],
});
export type VariantInputs = Static<typeof VariantInputs>;

export const StrategyVariant = SharedObject('StrategyVariant', 'A variant of a strategy', {
  ...strategyVariant,
  stickiness: Type.String({ description: 'The stickiness of the strategy', examples: ['default'] }),
});
export type StrategyVariant = Static<typeof StrategyVariant>;

export const Variant = Named('Variant', VariantInput);
export type Variant = Static<typeof Variant>;

export const VariantList = SharedObject('VariantList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  variants: Type.Array(Ref(Variant)),
});

export const VariantsOfEnvironments = NamedObject(
  'VariantsOfEnvironments',
  {
    variants: VariantInputs,
    environments: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'Names of the environments',
      minItems: 1,
      maxItems: 100,
      examples: [['development', 'production']],
    }),
  },
  {
    examples: [{ variants: [{ name: 'blue', weight: 1000 }], environments: ['development', 'production'] }],
  },
);
