import {
  Named,
  NamedObject,
  Nullable,
  Optional,
  Ref,
  SharedObject,
  Timestamp,
  UrlName,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MAX_LEGAL_VALUES = 1_000;

const name = UrlName({
  description: 'Name of the field in the context that applications send',
  examples: ['country'],
});
const description = Nullable.String({
  description: 'Description of the context field',
  maxLength: 250,
  examples: ['Country of the user'],
});
const stickiness = Type.Boolean({
  description: 'Whether gradual rollouts and variants can use the field for stickiness',
  examples: [false],
});
const sortOrder = Type.Integer({
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description: 'Position in lists, lowest first',
  examples: [5],
});
const legalValue = NamedObject('LegalValue', {
  value: Type.String({ description: 'The legal value', minLength: 1, maxLength: 100, examples: ['NO'] }),
  description: Optional.String({ description: 'What the value means', maxLength: 100, examples: ['Norway'] }),
});
const legalValues = Type.Array(legalValue, {
  maxItems: MAX_LEGAL_VALUES,
  description:
    'Values that constraints on the field may use, without duplicates. An empty list allows every value.',
});

export const LegalValue = Named('LegalValue', legalValue);
export type LegalValue = Static<typeof LegalValue>;

export const ContextField = SharedObject('ContextField', {
  name: Type.String({ description: 'Name of the context field', examples: ['country'] }),
  description,
  stickiness,
  sortOrder,
  legalValues: Type.Array(Ref(LegalValue), {
    description: 'Values that constraints on the field may use. An empty list allows every value.',
  }),
  project: Nullable.String({
    description: 'The project that may use the field; null: all projects',
    examples: ['payments'],
  }),
  createdAt: Timestamp('When the field was created'),
  usedInFeatures: Type.Integer({
    description:
      'Features with a constraint on the field, in a strategy or in its segments. Only projects the caller may read are counted.',
    examples: [2],
  }),
  usedInProjects: Type.Integer({ description: 'Projects of those features', examples: [1] }),
});
export type ContextField = Static<typeof ContextField>;

export const ContextFieldList = Named('ContextFieldList', Type.Array(Ref(ContextField)));

export const NewContextField = NamedObject(
  'NewContextField',
  {
    name,
    description: Type.Optional(description),
    stickiness: Type.Optional(stickiness),
    sortOrder: Type.Optional(sortOrder),
    legalValues: Type.Optional(legalValues),
  },
  {
    examples: [
      {
        name: 'country',
        description: 'Country of the user',
        legalValues: [{ value: 'NO', description: 'Norway' }, { value: 'SE' }],
      },
    ],
  },
);
export type NewContextField = Static<typeof NewContextField>;

export const ContextFieldUpdate = NamedObject(
  'ContextFieldUpdate',
  {
    description: Type.Optional(description),
    stickiness: Type.Optional(stickiness),
    sortOrder: Type.Optional(sortOrder),
    legalValues: Type.Optional(legalValues),
  },
  {
    examples: [
      { description: 'Country where the user lives', stickiness: false, legalValues: [{ value: 'NO' }] },
    ],
  },
);
export type ContextFieldUpdate = Static<typeof ContextFieldUpdate>;

export const ContextFieldNameCheck = NamedObject(
  'ContextFieldNameCheck',
  { name },
  { examples: [{ name: 'country' }] },
);

export const NewLegalValue = { ...legalValue, examples: [{ value: 'DK', description: 'Denmark' }] };
