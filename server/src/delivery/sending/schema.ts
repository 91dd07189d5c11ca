import { Ref, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const RequestHeader = SharedObject('RequestHeader', {
  name: Type.String({
    description: 'Name in lower case, or ***** for a custom header',
    examples: ['content-type'],
  }),
  value: Type.String({
    description: 'First 200 characters of the value, or ***** for a value that can be secret',
    examples: ['application/json'],
  }),
});
export type RequestHeader = Static<typeof RequestHeader>;

/** The stored part of a request and its response. */
export type Exchange = {
  status: number | null;
  address: string | null;
  error: string | null;
  response: string | null;
  headers: Record<string, string> | null;
  bodySha256: string | null;
  /** The headers of the request, with secrets masked. */
  requestHeaders: RequestHeader[] | null;
};

export const RenderedRequest = SharedObject('RenderedRequest', {
  url: Type.String({
    description: 'URL without its path, which can be secret',
    examples: ['https://example.com/*****'],
  }),
  headers: Type.Array(Ref(RequestHeader), {
    description: 'Headers. Credentials, signatures and custom headers are masked.',
  }),
  body: Type.String({ description: 'First 65,536 characters of the body', examples: ['{"id":4211}'] }),
  isBodyCut: Type.Boolean({ description: 'Whether the body was truncated', examples: [false] }),
});
export type RenderedRequest = Static<typeof RenderedRequest>;
