import { type Static, Type } from 'typebox';

/** The fields of GrowthBook's REST API, version 1, that the import reads. It ignores all others. */
const GroupTargeting = Type.Object({
  matchType: Type.Enum(['all', 'any', 'none']),
  savedGroups: Type.Array(Type.String()),
});
export type GroupTargeting = Static<typeof GroupTargeting>;

const Rule = Type.Object({
  type: Type.String(),
  enabled: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String()),
  condition: Type.Optional(Type.String()),
  savedGroupTargeting: Type.Optional(Type.Array(GroupTargeting)),
  prerequisites: Type.Optional(Type.Array(Type.Unknown())),
  scheduleRules: Type.Optional(Type.Array(Type.Unknown())),
  scheduleType: Type.Optional(Type.String()),
  value: Type.Optional(Type.Unknown()),
  coverage: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  hashAttribute: Type.Optional(Type.String()),
});
export type GrowthBookRule = Static<typeof Rule>;

const Environment = Type.Object({
  enabled: Type.Boolean(),
  defaultValue: Type.Optional(Type.String()),
  rules: Type.Optional(Type.Array(Rule)),
});
export type Environment = Static<typeof Environment>;

const Feature = Type.Object({
  id: Type.String(),
  archived: Type.Optional(Type.Boolean()),
  description: Type.Optional(Type.String()),
  valueType: Type.Enum(['boolean', 'string', 'number', 'json']),
  defaultValue: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  prerequisites: Type.Optional(Type.Array(Type.Unknown())),
  environments: Type.Record(Type.String(), Environment),
});
export type Feature = Static<typeof Feature>;

const SavedGroup = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.Optional(Type.String()),
  condition: Type.Optional(Type.String()),
  attributeKey: Type.Optional(Type.String()),
  values: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
});
export type SavedGroup = Static<typeof SavedGroup>;

/** The content of a saved file: the features and saved groups from all pages. */
export const Organization = Type.Object({
  features: Type.Array(Feature),
  savedGroups: Type.Array(SavedGroup),
});
export type Organization = Static<typeof Organization>;
