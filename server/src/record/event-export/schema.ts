import { SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { Type } from 'typebox';
import { eventCursor, eventFilters } from '../events/schema.ts';
import { EXPORT_FORMATS } from './query.ts';

export const EventExportQuery = SearchQuery({
  format: Type.Optional(
    Type.String({
      enum: [...EXPORT_FORMATS],
      default: 'ndjson',
      description: 'ndjson: one JSON object per line. csv: RFC 4180 with a header line',
      examples: ['ndjson'],
    }),
  ),
  ...eventFilters,
  ...eventCursor,
});

const NDJSON_EXAMPLE =
  '{"id":4211,"createdAt":"2026-11-15T09:30:00.000Z","type":"feature-created","createdBy":"alice","createdByUserId":7,"createdByKind":"user","environment":null,"project":"default","featureName":"checkout-v2","data":{"name": "checkout-v2"},"preData":null,"tags":[],"groupId":"0b6f7c1e-95a5-4bd3-9a53-5b1f6f6f0a11"}\n';
const CSV_EXAMPLE =
  'id,createdAt,type,createdBy,createdByUserId,createdByKind,environment,project,featureName,data,preData,tags,groupId,comment,createdByToken,createdByClient\r\n4211,2026-11-15T09:30:00.000Z,"feature-created","alice",7,"user",,"default","checkout-v2","{""name"": ""checkout-v2""}",,"[]","0b6f7c1e-95a5-4bd3-9a53-5b1f6f6f0a11",,,\r\n';

export const ExportedFile = {
  description:
    'The events, newest first, as a file. If the response breaks off, continue with before and the id of the last complete line.',
  content: {
    'application/x-ndjson': { schema: Type.String(), example: NDJSON_EXAMPLE },
    'text/csv': { schema: Type.String(), example: CSV_EXAMPLE },
  },
};
