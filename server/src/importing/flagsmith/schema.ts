import { type Static, Type } from 'typebox';

const value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

const FeatureState = Type.Object({
  feature: Type.Object({ id: Type.Integer(), name: Type.String() }),
  enabled: Type.Boolean(),
  feature_state_value: Type.Optional(value),
  multivariate_feature_state_values: Type.Optional(
    Type.Array(
      Type.Object({
        percentage_allocation: Type.Number({ minimum: 0, maximum: 100 }),
        multivariate_feature_option: Type.Object({ value }),
      }),
    ),
  ),
  feature_segment: Type.Optional(
    Type.Union([
      Type.Object({ priority: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) }),
      Type.Null(),
    ]),
  ),
});
export type FeatureState = Static<typeof FeatureState>;

const Condition = Type.Object({
  operator: Type.String(),
  property_: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  value: Type.Optional(value),
});
export type SegmentCondition = Static<typeof Condition>;

const SegmentRule = Type.Cyclic(
  {
    Rule: Type.Object({
      type: Type.Enum(['ALL', 'ANY', 'NONE']),
      conditions: Type.Optional(Type.Array(Condition)),
      rules: Type.Optional(Type.Array(Type.Ref('Rule'))),
    }),
  },
  'Rule',
);
export type SegmentRule = Static<typeof SegmentRule>;

/** The fields that the import reads from an environment document, which SDKs fetch with a server-side key. Other fields are ignored. */
export const EnvironmentDocument = Type.Object({
  name: Type.Optional(Type.String()),
  feature_states: Type.Array(FeatureState),
  project: Type.Object({
    segments: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          rules: Type.Array(SegmentRule),
          feature_states: Type.Optional(Type.Array(FeatureState)),
        }),
      ),
    ),
  }),
  identity_overrides: Type.Optional(
    Type.Array(Type.Object({ identifier: Type.String(), identity_features: Type.Array(FeatureState) })),
  ),
});
export type EnvironmentDocument = Static<typeof EnvironmentDocument>;
