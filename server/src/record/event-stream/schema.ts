import type { Readable } from 'node:stream';
import { SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import { Type } from 'typebox';
import { eventFilters, eventParts } from '../events/schema.ts';

const { from: _, to: __, ...filters } = eventFilters;

export const EventStreamQuery = SearchQuery({
  ...filters,
  ...eventParts,
  after: Type.Optional(
    Type.String({
      title: 'ResumeAfter',
      maxLength: 16,
      pattern: '^[0-9]+$',
      description:
        'Id of the last event the client received, for clients that cannot send the Last-Event-ID header, which takes precedence. 0: from the beginning of the log',
      examples: ['4211'],
    }),
  ),
});

export const EventStreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      maxLength: 16,
      pattern: '^\\d*$',
      [RULE]: 'must be the id of an event',
      description: 'Id of the last event the client received. The stream continues after it.',
      examples: ['4211'],
    }),
  ),
});

const DATA =
  '{"id":4212,"createdAt":"2026-11-15T09:30:00.000Z","type":"feature-created","createdBy":"alice","createdByUserId":7,"createdByKind":"user","environment":null,"project":"default","featureName":"checkout-v2","data":{"name":"checkout-v2"},"preData":null,"tags":[],"groupId":"0b6f7c1e-95a5-4bd3-9a53-5b1f6f6f0a11","label":"Flag created","summary":"**alice** created flag **checkout-v2** in project **default**"}';

/** The body of the response, for the API document. */
export const EVENT_STREAM = {
  description:
    'Server-sent events. id is the id of an event, or of the last event that was examined. data is an Event as JSON on one line. A block without data only updates the id. retry is the time in milliseconds after which to reconnect. Lines that start with a colon are comments.',
  content: {
    'text/event-stream': {
      schema: Type.Unsafe<Readable>({ type: 'string' }),
      example: `retry: 1740\nid: 4211\n\nid: 4212\ndata: ${DATA}\n\n: heartbeat\nid: 4212\n\n`,
    },
  },
};
