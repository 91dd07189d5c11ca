import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp, UrlName } from '../../platform/http/schema.ts';

export const MAX_LEGAL_VALUES = 1_000;

const name = UrlName({
  description: 'What applications call the field in the context they send',
  examples: ['country'],
});
const description = Nullable(Type.String({ maxLength: 250, examples: ['Where the user is'] }));
const stickiness = Type.Boolean({
  description: 'true: gradual rollout and variants may use the field as stickiness',
  examples: [false],
});
const sortOrder = Type.Integer({
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description: 'Place in lists, lowest first',
  examples: [5],
});
const legalValue = NamedObject('LegalValue', {
  value: Type.String({ minLength: 1, maxLength: 100, examples: ['NO'] }),
  description: Type.Optional(Type.String({ maxLength: 100, examples: ['Norway'] })),
});
const legalValues = Type.Array(legalValue, {
  maxItems: MAX_LEGAL_VALUES,
  description: 'The values a constraint may name, each once; none: any value',
});

export const LegalValue = Named('LegalValue', legalValue);
export type LegalValue = Static<typeof LegalValue>;

export const ContextField = Named(
  'ContextField',
  Type.Object({
    name: Type.String({ examples: ['country'] }),
    description,
    stickiness,
    sortOrder,
    legalValues: Type.Array(Ref(LegalValue), { description: 'The values a constraint may name; none: any' }),
    project: Nullable(
      Type.String({
        description: 'Where the field may be used; null: in all projects',
        examples: ['payments'],
      }),
    ),
    createdAt: Timestamp('When the field was created'),
    usedInFeatures: Type.Integer({
      description:
        'Features with a strategy that constrains on it, itself or by a segment, in projects the caller may read',
      examples: [2],
    }),
    usedInProjects: Type.Integer({ description: 'Projects of those features', examples: [1] }),
  }),
);
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
        description: 'Where the user is',
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
  { examples: [{ description: 'Where the user lives', stickiness: false, legalValues: [{ value: 'NO' }] }] },
);
export type ContextFieldUpdate = Static<typeof ContextFieldUpdate>;

export const ContextFieldNameCheck = NamedObject(
  'ContextFieldNameCheck',
  { name },
  { examples: [{ name: 'country' }] },
);

export const NewLegalValue = { ...legalValue, examples: [{ value: 'DK', description: 'Denmark' }] };
