import { Type } from 'typebox';
import { NamedObject, Optional, Ref, SharedObject } from '../../platform/http/schema.ts';

const Context = NamedObject(
  'OfrepContext',
  {
    targetingKey: Optional.String({
      maxLength: 16_384,
      description: 'The user id, unless the context has a userId',
      examples: ['ada'],
    }),
  },
  {
    description:
      'The user that the flags are evaluated for. Further strings, numbers and booleans are fields of the context; lists and objects are ignored',
    examples: [{ targetingKey: 'ada', country: 'DE' }],
  },
);

export const OfrepRequest = Type.Object({ context: Type.Optional(Context) }, { title: 'OfrepRequest' });

export const OfrepEvaluation = SharedObject('OfrepEvaluation', 'The value of a feature', {
  key: Type.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  value: Type.Unsafe<unknown>({
    description: 'The payload of the variant, or whether the feature is enabled',
    examples: [true],
  }),
  reason: Type.String({ description: 'STATIC, TARGETING_MATCH, SPLIT or DISABLED', examples: ['SPLIT'] }),
  variant: Optional.String({ description: 'Name of the variant', examples: ['blue'] }),
});

const EventStream = NamedObject('OfrepEventStream', {
  type: Type.String({ description: 'Always sse: server-sent events', examples: ['sse'] }),
  endpoint: NamedObject('OfrepEndpoint', 'Location of the stream', {
    requestUri: Type.String({
      description: 'Path on this server. It does not change while the token is valid',
      examples: ['/ofrep/v1/events/nJ2hS4v0q1mVb7cX9yT3kL5wZ8aE6dRf'],
    }),
  }),
  inactivityDelaySec: Type.Integer({
    description: 'Seconds after which the stream of a hidden page can be closed',
    examples: [120],
  }),
});

export const OfrepEvaluations = SharedObject('OfrepEvaluations', {
  flags: Type.Array(Ref(OfrepEvaluation)),
  eventStreams: Type.Array(EventStream, { description: 'Streams that announce when to evaluate again' }),
});

export const OfrepFailure = SharedObject('OfrepFailure', {
  key: Optional.String({ description: 'Feature name, unique in the instance', examples: ['checkout-v2'] }),
  errorCode: Type.String({
    description: 'PARSE_ERROR, INVALID_CONTEXT, FLAG_NOT_FOUND or GENERAL',
    examples: ['INVALID_CONTEXT'],
  }),
  errorDetails: Type.String({
    description: 'What is wrong with the request',
    examples: ['context must be an object'],
  }),
});
