import {
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const PARAMETER_TYPES = ['string', 'percentage', 'list', 'number', 'boolean'] as const;

const parameterType = Type.Unsafe<(typeof PARAMETER_TYPES)[number]>({
  title: 'StrategyParameterType',
  description: 'Type of the parameter, which determines how forms show it',
  type: 'string',
  enum: PARAMETER_TYPES,
  examples: ['list'],
});
const description = Type.String({
  description: 'Description of the strategy type',
  maxLength: 4_000,
  examples: ['Enabled for the listed countries'],
});

export const StrategyType = SharedObject('StrategyType', 'A strategy type', {
  name: Type.String({ description: 'Name of the strategy type', examples: ['byCountry'] }),
  displayName: Nullable.String({ description: 'Name shown to users; null: the same as name' }),
  description,
  editable: Type.Boolean({ description: 'false: the type is built in' }),
  deprecated: Type.Boolean({ description: 'true: new strategies should not use the type' }),
  parameters: Type.Array(
    NamedObject('StrategyParameter', 'A parameter of a strategy type', {
      name: Type.String({ description: 'Name of the parameter', examples: ['countries'] }),
      type: parameterType,
      description: Type.String({
        description: 'Purpose of the parameter',
        examples: ['Country codes, separated by commas'],
      }),
      required: Type.Boolean({ description: 'Whether the parameter is required' }),
    }),
  ),
});
export type StrategyType = Static<typeof StrategyType>;

export const StrategyTypeList = SharedObject('StrategyTypeList', {
  version: Type.Integer({ description: 'Version of the response format', examples: [1] }),
  strategies: Type.Array(Ref(StrategyType)),
});

const parameters = Type.Array(
  NamedObject('NewStrategyParameter', {
    name: Type.String({
      description: 'Name of the parameter',
      minLength: 1,
      maxLength: 100,
      examples: ['countries'],
    }),
    type: parameterType,
    description: Optional.String({
      description: 'Purpose of the parameter',
      maxLength: 1_000,
      examples: ['Country codes, separated by commas'],
    }),
    required: Optional.Boolean({ description: 'false by default' }),
  }),
  { maxItems: 100, description: 'Parameters that a strategy of the type takes. Names must be unique.' },
);

export const NewStrategyType = NamedObject(
  'NewStrategyType',
  {
    name: UrlName({
      description: 'Name that SDKs implement the type under. It cannot be changed later.',
      examples: ['byCountry'],
    }),
    description: Type.Optional(description),
    parameters: Type.Optional(parameters),
  },
  {
    examples: [
      {
        name: 'byCountry',
        description: 'Enabled for the listed countries',
        parameters: [{ name: 'countries', type: 'list', required: true }],
      },
    ],
  },
);
export type NewStrategyType = Static<typeof NewStrategyType>;

export const StrategyTypeUpdate = NamedObject(
  'StrategyTypeUpdate',
  { description: Type.Optional(description), parameters: Type.Optional(parameters) },
  { examples: [{ description: 'Enabled for the countries in the list' }] },
);
export type StrategyTypeUpdate = Static<typeof StrategyTypeUpdate>;
