import { Type } from 'typebox';

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'The id of the last event the client received. The stream starts with the changes after it.',
      examples: ['0d3c9fb2a1.5f0c8d0e4a.41'],
    }),
  ),
});

const EXAMPLE = `id: 0d3c9fb2a1.5f0c8d0e4a.41
event: unleash-connected
retry: 2000
data: {"events":[{"eventId":41,"type":"hydration","features":[],"segments":[]}]}

id: 0d3c9fb2a1.5f0c8d0e4a.42
event: unleash-updated
data: {"events":[{"eventId":42,"type":"feature-removed","featureName":"checkout-v1","project":"payments"}]}

:

`;

/** The body of the response, for the API document. */
export const STREAM = {
  description:
    'Server-sent events. The first event and each hydration are `unleash-connected`; all others are `unleash-updated`. `data` holds the list of events on one line, as in the response of /api/client/delta. Lines that start with a colon are comments, sent every 15 s.',
  content: { 'text/event-stream': { schema: Type.Unsafe<string>({ type: 'string' }), example: EXAMPLE } },
};
