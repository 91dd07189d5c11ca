import { type Static, Type } from 'typebox';

/** The fields that the import reads from a Flipt export, versions 1.0 to 1.5. Files in Flipt 2 repositories have the same format. */
const SegmentRule = Type.Union([
  Type.String(),
  Type.Array(Type.String()),
  Type.Object({
    key: Type.Optional(Type.String()),
    keys: Type.Optional(Type.Array(Type.String())),
    operator: Type.Optional(Type.String()),
    value: Type.Optional(Type.Boolean()),
  }),
]);
export type SegmentRule = Static<typeof SegmentRule>;

const Rule = Type.Object({
  segment: Type.Optional(SegmentRule),
  distributions: Type.Optional(
    Type.Array(
      Type.Object({
        variant: Type.String(),
        rollout: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      }),
    ),
  ),
});
export type FliptRule = Static<typeof Rule>;

const Rollout = Type.Object({
  description: Type.Optional(Type.String()),
  segment: Type.Optional(SegmentRule),
  threshold: Type.Optional(
    Type.Object({
      percentage: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      value: Type.Optional(Type.Boolean()),
    }),
  ),
});
export type Rollout = Static<typeof Rollout>;

const Flag = Type.Object({
  key: Type.String(),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  variants: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String(),
        default: Type.Optional(Type.Boolean()),
        attachment: Type.Optional(Type.Unknown()),
      }),
    ),
  ),
  rules: Type.Optional(Type.Array(Rule)),
  rollouts: Type.Optional(Type.Array(Rollout)),
});
export type FliptFlag = Static<typeof Flag>;

/** YAML parses unquoted values such as 1 and true as numbers and booleans. */
const scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Constraint = Type.Object({
  type: Type.String(),
  property: Type.Optional(Type.String()),
  operator: scalar,
  value: Type.Optional(scalar),
});
export type FliptConstraint = Static<typeof Constraint>;

const Segment = Type.Object({
  key: Type.String(),
  match_type: Type.Optional(Type.String()),
  constraints: Type.Optional(Type.Array(Constraint)),
});
export type FliptSegment = Static<typeof Segment>;

/** The documents in a file, each with one namespace. */
export const Namespaces = Type.Array(
  Type.Object({
    version: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    namespace: Type.Optional(Type.Union([Type.String(), Type.Object({ key: Type.Optional(Type.String()) })])),
    flags: Type.Optional(Type.Array(Flag)),
    segments: Type.Optional(Type.Array(Segment)),
  }),
);
export type Namespaces = Static<typeof Namespaces>;
