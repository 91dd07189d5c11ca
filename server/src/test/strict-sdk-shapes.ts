import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

// The types that the strictest SDKs expect. The SDKs for Java, .NET, Python, Ruby and Rust share a parser that rejects a
// whole response because of a single value with a different type, and the application then keeps its old flags. Unknown fields are
// ignored, except for those that older SDKs read as something else.

const Int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 });
const Revision = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 });
const Text = Type.String();
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const Payload = Type.Object({ type: Text, value: Text });

const Constraint = Type.Object({
  contextName: Text,
  operator: Text,
  values: optional(Type.Array(Text)),
  value: optional(Text),
  inverted: optional(Type.Boolean()),
  caseInsensitive: optional(Type.Boolean()),
});

const StrategyVariant = Type.Object({
  name: Text,
  weight: Int32,
  payload: optional(Payload),
  stickiness: optional(Text),
});

const Strategy = Type.Object({
  name: Text,
  // Go 4 reads an id as a number, but ours are UUIDs.
  id: optional(Type.Never()),
  sortOrder: optional(Int32),
  segments: optional(Type.Array(Int32)),
  constraints: optional(Type.Array(Constraint)),
  variants: optional(Type.Array(StrategyVariant)),
  parameters: optional(Type.Record(Text, Text)),
});

const Variant = Type.Object({
  name: Text,
  weight: Int32,
  weightType: optional(Type.Union([Type.Literal('fix'), Type.Literal('variable')])),
  stickiness: optional(Text),
  payload: optional(Payload),
  overrides: optional(Type.Array(Type.Object({ contextName: Text, values: Type.Array(Text) }))),
});

const Feature = Type.Object({
  name: Text,
  enabled: Type.Boolean(),
  type: Text,
  project: Text,
  description: optional(Text),
  stale: optional(Type.Boolean()),
  impressionData: optional(Type.Boolean()),
  strategies: Type.Array(Strategy),
  variants: optional(Type.Array(Variant)),
  dependencies: optional(
    Type.Array(
      Type.Object({ feature: Text, enabled: optional(Type.Boolean()), variants: optional(Type.Array(Text)) }),
    ),
  ),
});

const Segment = Type.Object({ id: Int32, constraints: Type.Array(Constraint) });

/** The response to a poll. It must not have a field `events`, or SDKs would mistake it for a delta. */
export const PollBody = Type.Object({
  version: Revision,
  features: Type.Array(Feature),
  segments: optional(Type.Array(Segment)),
  events: optional(Type.Never()),
});

/** A delta, which streams send too. */
export const DeltaBody = Type.Object({
  events: Type.Array(
    Type.Union([
      Type.Object({
        type: Type.Literal('hydration'),
        eventId: Revision,
        features: Type.Array(Feature),
        segments: Type.Array(Segment),
      }),
      Type.Object({ type: Type.Literal('feature-updated'), eventId: Revision, feature: Feature }),
      Type.Object({
        type: Type.Literal('feature-removed'),
        eventId: Revision,
        featureName: Text,
        project: Text,
      }),
      Type.Object({ type: Type.Literal('segment-updated'), eventId: Revision, segment: Segment }),
      Type.Object({ type: Type.Literal('segment-removed'), eventId: Revision, segmentId: Int32 }),
    ]),
  ),
});

/**
 * The response of the frontend API, as strict as the SDKs for iOS, Android, Flutter and C++ together. The iOS SDK crashes the app
 * if a name occurs twice.
 */
export const FrontendBody = Type.Object({
  toggles: Type.Array(
    Type.Object({
      name: Text,
      enabled: Type.Boolean(),
      impressionData: Type.Boolean(),
      variant: Type.Object({ name: Text, enabled: Type.Boolean(), payload: optional(Payload) }),
    }),
  ),
});

/** The response to `POST /edge/validate` that Unleash Edge reads. */
export const ValidTokens = Type.Object({
  tokens: Type.Array(
    Type.Object({
      token: Text,
      type: Type.Union([Type.Literal('client'), Type.Literal('frontend')]),
      projects: Type.Array(Text),
    }),
  ),
});

/** Returns the locations in a body for which a strict SDK would reject it. */
export const findStrictViolations = (schema: TSchema, body: unknown): string[] =>
  [...Value.Errors(schema, body)].map(({ instancePath, message }) => `${instancePath} ${message}`);
