import { NamedObject, Optional, Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { description, featureName } from '../feature-rows/schema.ts';

const flagType = Type.Unsafe<'boolean' | 'string' | 'integer' | 'object'>({
  type: 'string',
  enum: ['boolean', 'string', 'integer', 'object'],
  description:
    'boolean: the flag has no payloads. Otherwise the type of its payloads: object for JSON, integer for whole numbers, string for everything else',
  examples: ['boolean'],
});
const defaultValue = Type.Unknown({
  description: 'The value that generated code uses while no server is reachable: false, "", 0 or {}',
  examples: [false],
});

export const ManifestFlag = SharedObject('ManifestFlag', 'A flag in the format of the OpenFeature CLI', {
  key: featureName,
  type: flagType,
  defaultValue,
  description: Type.Optional(description),
});
export type ManifestFlag = Static<typeof ManifestFlag>;

export const Manifest = SharedObject('Manifest', {
  flags: Type.Array(Ref(ManifestFlag), { description: 'The active flags of the project, sorted by name' }),
});

const input = {
  key: featureName,
  type: flagType,
  defaultValue: Type.Optional(Type.Unknown({ description: 'Not stored', examples: [false] })),
  name: Optional.String({ maxLength: 1_000, description: 'Not stored' }),
  description: Type.Optional(description),
};
const example = { key: 'checkout-v2', type: 'boolean', defaultValue: false, description: 'The new checkout' };

export const NewManifestFlag = NamedObject('NewManifestFlag', input, { examples: [example] });
export type NewManifestFlag = Static<typeof NewManifestFlag>;

export const ManifestFlagUpdate = NamedObject('ManifestFlagUpdate', input, {
  examples: [{ ...example, key: 'checkout-v2' }],
});
export type ManifestFlagUpdate = Static<typeof ManifestFlagUpdate>;

export const ChangedManifestFlag = SharedObject('ChangedManifestFlag', {
  flag: Ref(ManifestFlag),
  updatedAt: Timestamp('When the request was carried out'),
});

export const ArchivedManifestFlag = SharedObject('ArchivedManifestFlag', {
  message: Type.String({
    description: 'What happened',
    examples: ['Flag "checkout-v2" was archived. It can be revived.'],
  }),
  archivedAt: Timestamp('When the flag was archived'),
});
