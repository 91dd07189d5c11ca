import { Type } from 'typebox';
import { NamedObject, Optional, SharedObject } from '../../platform/http/schema.ts';
import { MAX_CONTEXT_CHARACTERS } from './request-context.ts';

/** Query parameters have a title, because the API document has other parameters of these names. */
const contextField = (description: string, example: string, title?: string) =>
  Optional.String({
    ...(title && { title }),
    maxLength: MAX_CONTEXT_CHARACTERS,
    description,
    examples: [example],
  });

const buildContextFields = (location: 'query' | 'body') => {
  const title = (name: string) => (location === 'query' ? `Context${name}` : undefined);
  return {
    userId: contextField('Id of the user', 'ada', title('UserId')),
    sessionId: contextField('Id of the session. Random by default', '741283564', title('SessionId')),
    remoteAddress: contextField("IP address. Default: the client's", '203.0.113.7', title('RemoteAddress')),
    currentTime: contextField(
      'Time for constraints on dates. Default: now',
      '2026-11-16T09:00:00.000Z',
      title('CurrentTime'),
    ),
    appName: contextField('Name of the application', 'shop', title('AppName')),
    environment: contextField(
      'Ignored: the token determines the environment',
      'default',
      title('Environment'),
    ),
  };
};

export const ContextQuery = Type.Object(buildContextFields('query'), {
  description: 'Every other parameter is a property; properties[name]=value works too',
});

const Context = NamedObject('FrontendContext', 'The user that the flags are evaluated for', {
  ...buildContextFields('body'),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: MAX_CONTEXT_CHARACTERS }), {
      maxProperties: 100,
      propertyNames: { type: 'string', maxLength: MAX_CONTEXT_CHARACTERS },
      description: 'Additional fields. Context fields that are not listed here count as properties too',
      examples: [{ country: 'DE' }],
    }),
  ),
});

export const FrontendRequest = Type.Object({ context: Type.Optional(Context) }, { title: 'FrontendRequest' });

const Payload = NamedObject('FrontendPayload', 'The payload of a variant', {
  type: Type.String({ description: 'string, json, csv or number', examples: ['string'] }),
  value: Type.String({ description: 'The payload as a string', examples: ['#0000ff'] }),
});

const Variant = NamedObject('FrontendVariant', 'The variant that the context gets', {
  name: Type.String({ description: '`disabled` without a variant', examples: ['blue'] }),
  enabled: Type.Boolean({ description: 'Whether the feature has a variant', examples: [true] }),
  payload: Type.Optional(Payload),
  feature_enabled: Type.Boolean({ description: 'Whether the feature is enabled', examples: [true] }),
  featureEnabled: Type.Boolean({ description: 'Whether the feature is enabled', examples: [true] }),
});

const toggle = {
  name: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  enabled: Type.Boolean({
    description: 'Whether the feature is enabled. Always true in a list',
    examples: [true],
  }),
  variant: Variant,
  impressionData: Type.Boolean({
    description: 'Whether the SDK raises an event each time the feature is evaluated',
    examples: [false],
  }),
};
const Toggle = NamedObject('FrontendToggle', toggle);

export const FrontendFeature = SharedObject('FrontendFeature', toggle);

export const FrontendFeatures = SharedObject('FrontendFeatures', {
  toggles: Type.Array(Toggle, { description: 'The features that are enabled for the context' }),
});

const ImpressionEvent = NamedObject(
  'ImpressionEvent',
  'One evaluation of a feature. Other fields are allowed',
  {
    eventType: Optional.String({ maxLength: 100, description: 'What the page requested' }),
    featureName: Optional.String({ maxLength: 100, description: 'The name of the feature' }),
    enabled: Optional.Boolean({ description: 'Whether the feature was enabled' }),
  },
);

/** Discarded, so any JSON is accepted. */
export const ImpressionEvents = Type.Union(
  [ImpressionEvent, Type.Array(ImpressionEvent, { maxItems: 10_000 })],
  {
    title: 'ImpressionEvents',
    description: 'One event or a list of events',
    examples: [{ eventType: 'isEnabled', featureName: 'checkout-v2', enabled: true }],
  },
);
