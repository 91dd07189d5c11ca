import { type Static, Type } from 'typebox';

/** The fields of LaunchDarkly's REST API, version 20240415, that the import reads. It ignores all others. */
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const Clause = Type.Object({
  attribute: Type.Optional(Type.String()),
  contextKind: Type.Optional(Type.String()),
  op: Type.String(),
  values: Type.Array(value),
  negate: Type.Optional(Type.Boolean()),
});
export type Clause = Static<typeof Clause>;

const serve = {
  variation: Type.Optional(Type.Integer({ minimum: 0 })),
  rollout: Type.Optional(
    Type.Object({
      variations: Type.Array(
        Type.Object({ variation: Type.Integer({ minimum: 0 }), weight: Type.Number({ minimum: 0 }) }),
      ),
      bucketBy: Type.Optional(Type.String()),
      contextKind: Type.Optional(Type.String()),
      experimentAllocation: Type.Optional(Type.Unknown()),
    }),
  ),
};
const Fallthrough = Type.Object(serve);
export type Fallthrough = Static<typeof Fallthrough>;

const Target = Type.Object({
  values: Type.Array(Type.String()),
  variation: Type.Integer({ minimum: 0 }),
  contextKind: Type.Optional(Type.String()),
});
export type Target = Static<typeof Target>;

const Environment = Type.Object({
  on: Type.Boolean(),
  targets: Type.Optional(Type.Array(Target)),
  contextTargets: Type.Optional(Type.Array(Target)),
  rules: Type.Optional(
    Type.Array(
      Type.Object({ ...serve, clauses: Type.Array(Clause), description: Type.Optional(Type.String()) }),
    ),
  ),
  fallthrough: Type.Optional(Fallthrough),
  offVariation: Type.Optional(Type.Integer({ minimum: 0 })),
  prerequisites: Type.Optional(
    Type.Array(Type.Object({ key: Type.String(), variation: Type.Integer({ minimum: 0 }) })),
  ),
});
export type Environment = Static<typeof Environment>;

const Flag = Type.Object({
  key: Type.String(),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  temporary: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  variations: Type.Array(Type.Object({ value: Type.Unknown(), name: Type.Optional(Type.String()) })),
  environments: Type.Record(Type.String(), Environment),
});
export type LaunchDarklyFlag = Static<typeof Flag>;

const Contexts = Type.Array(
  Type.Object({ contextKind: Type.Optional(Type.String()), values: Type.Array(Type.String()) }),
);

const Segment = Type.Object({
  key: Type.String(),
  included: Type.Optional(Type.Array(Type.String())),
  excluded: Type.Optional(Type.Array(Type.String())),
  includedContexts: Type.Optional(Contexts),
  excludedContexts: Type.Optional(Contexts),
  rules: Type.Optional(
    Type.Array(
      Type.Object({
        clauses: Type.Array(Clause),
        weight: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
      }),
    ),
  ),
  unbounded: Type.Optional(Type.Boolean()),
});
export type LaunchDarklySegment = Static<typeof Segment>;

/** The content of a saved file: the flags from all pages and, by environment, the segments from all pages. */
export const Project = Type.Object({
  flags: Type.Array(Flag),
  segments: Type.Record(Type.String(), Type.Array(Segment)),
});
export type Project = Static<typeof Project>;
