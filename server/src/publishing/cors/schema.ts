import { RULE } from '@halyard/plane/platform/http/input/violations.ts';
import { SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MAX_ORIGINS = 100;

const origins = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/\\s?#*,"@]+)$',
    [RULE]: 'must be * or an origin without a path, such as https://shop.example.com',
  }),
  {
    maxItems: MAX_ORIGINS,
    description:
      'Origins whose pages may read responses of the API for frontend SDKs. * for all origins. Empty: none',
    examples: [['https://shop.example.com']],
  },
);

export const CorsSettings = Type.Object(
  { frontendApiOrigins: origins },
  { title: 'CorsSettings', examples: [{ frontendApiOrigins: ['https://shop.example.com'] }] },
);
export type CorsSettings = Static<typeof CorsSettings>;

export const UiConfig = SharedObject('UiConfig', {
  name: Type.String({ description: 'Name of the product', examples: ['Halyard'] }),
  version: Type.String({ description: 'Version of Halyard', examples: ['0.1.0'] }),
  unleashUrl: Type.String({
    description: 'Public URL of the server',
    examples: ['https://flags.example.com'],
  }),
  baseUriPath: Type.String({ description: 'Path of that URL', examples: [''] }),
  frontendApiOrigins: origins,
});
export type UiConfig = Static<typeof UiConfig>;
