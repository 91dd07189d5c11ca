import { Type } from 'typebox';
import { Named, NamedObject } from '../../platform/http/schema.ts';
import { MOST_CONTEXT_CHARACTERS } from './given-context.ts';

const value = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: MOST_CONTEXT_CHARACTERS, description, examples: [example] }));

const fields = {
  userId: value('Id of the user', 'ada'),
  sessionId: value('Id of the session. A random one if it is missing', '741283564'),
  remoteAddress: value('IP address. By default that of the client', '203.0.113.7'),
  currentTime: value('Time for constraints on dates. By default now', '2026-11-16T09:00:00.000Z'),
  appName: value('Name of the application', 'shop'),
  environment: value('No effect: the token decides the environment', 'default'),
};

export const ContextQuery = Type.Object(fields, {
  description: 'Every other parameter is a property, also as properties[name]=value',
});

const Context = NamedObject(
  'FrontendContext',
  {
    ...fields,
    properties: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MOST_CONTEXT_CHARACTERS }), {
        maxProperties: 100,
        propertyNames: { type: 'string', maxLength: MOST_CONTEXT_CHARACTERS },
        description: 'Further values. Fields of the context that are not listed here are properties too',
        examples: [{ country: 'DE' }],
      }),
    ),
  },
  { description: 'Whom the flags are evaluated for' },
);

export const FrontendRequest = Type.Object({ context: Type.Optional(Context) }, { title: 'FrontendRequest' });

const Payload = NamedObject('FrontendPayload', {
  type: Type.String({ examples: ['string'] }),
  value: Type.String({ examples: ['#0000ff'] }),
});

const Variant = NamedObject('FrontendVariant', {
  name: Type.String({ description: '`disabled` without a variant', examples: ['blue'] }),
  enabled: Type.Boolean({ description: 'Whether the feature has a variant', examples: [true] }),
  payload: Type.Optional(Payload),
  feature_enabled: Type.Boolean({ description: 'Always true', examples: [true] }),
  featureEnabled: Type.Boolean({ description: 'Always true', examples: [true] }),
});

const Toggle = NamedObject('FrontendToggle', {
  name: Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] }),
  enabled: Type.Boolean({ description: 'Always true', examples: [true] }),
  variant: Variant,
  impressionData: Type.Boolean({
    description: 'Whether the SDK raises an event each time the feature is evaluated',
    examples: [false],
  }),
});

export const FrontendFeatures = Named(
  'FrontendFeatures',
  Type.Object({
    toggles: Type.Array(Toggle, { description: 'The features that are enabled for the context' }),
  }),
);

const ImpressionEvent = NamedObject(
  'ImpressionEvent',
  {
    eventType: Type.Optional(Type.String({ maxLength: 100, description: 'What the page asked for' })),
    featureName: Type.Optional(Type.String({ maxLength: 100, description: 'The name of the feature' })),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether the feature was enabled' })),
  },
  { description: 'One evaluation of a feature. Other fields are allowed' },
);

/** Discarded, so every JSON is accepted. */
export const ImpressionEvents = Type.Union(
  [ImpressionEvent, Type.Array(ImpressionEvent, { maxItems: 10_000 })],
  {
    title: 'ImpressionEvents',
    description: 'One event or a list of events',
    examples: [{ eventType: 'isEnabled', featureName: 'checkout-v2', enabled: true }],
  },
);
