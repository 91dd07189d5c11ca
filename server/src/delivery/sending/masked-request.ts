import { gunzipSync } from 'node:zlib';
import { ellipsize, toStorableText } from '@halyard/plane/platform/text.ts';
import type { OutgoingRequest } from '../../platform/outgoing/send.ts';
import { maskTarget } from '../../platform/outgoing/target.ts';
import { MASK } from '../../platform/secrets/mask.ts';
import { customHeaders } from '../integrations/providers/parts.ts';
import type { Parameters } from '../integrations/providers/provider.ts';
import type { RenderedRequest, RequestHeader } from './schema.ts';

/** Headers set by the server or by a visible parameter. The values of all others are masked. */
const VISIBLE_HEADERS = new Set([
  'user-agent',
  'content-type',
  'content-encoding',
  'webhook-id',
  'webhook-timestamp',
  'x-event-id',
]);
const MAX_HEADERS = 40;
const MAX_VALUE_LENGTH = 200;
const MAX_BODY = 65_536;
/** A rendered body has at most 1,048,576 characters. */
const MAX_UNZIPPED_BYTES = 4_194_304;

/** Masks the secrets in the headers of a request. Custom headers are entirely secret, so their names are masked too. */
export function maskHeaders(headers: Record<string, string>, parameters: Parameters): RequestHeader[] {
  const customNames = new Set(Object.keys(customHeaders(parameters)).map(name => name.toLowerCase()));
  return Object.entries(headers)
    .slice(0, MAX_HEADERS)
    .map(([headerName, value]) => {
      const name = headerName.toLowerCase();
      if (customNames.has(name)) return { name: MASK, value: MASK };
      return {
        name,
        value: VISIBLE_HEADERS.has(name) ? ellipsize(toStorableText(value), MAX_VALUE_LENGTH) : MASK,
      };
    });
}

/** Presents a request as it would be sent, with secrets masked and the body unzipped. */
export function maskRequest(
  { url, headers, body }: OutgoingRequest,
  parameters: Parameters,
): RenderedRequest {
  const text = typeof body === 'string' ? body : unzip(body);
  return {
    url: maskTarget(url),
    headers: maskHeaders(headers, parameters),
    body: ellipsize(text, MAX_BODY),
    isBodyCut: text.length > MAX_BODY,
  };
}

const unzip = (body: Buffer): string =>
  gunzipSync(body, { maxOutputLength: MAX_UNZIPPED_BYTES }).toString('utf8');
