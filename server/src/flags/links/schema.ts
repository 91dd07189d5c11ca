import { NamedObject, Nullable, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'URL that starts with http:// or https://',
  examples: ['https://example.com/tickets/42'],
});
const title = Nullable.String({ description: 'Title of the link', maxLength: 500, examples: ['The ticket'] });

export const FeatureLink = SharedObject('FeatureLink', 'A link of a feature', {
  id: Type.String({ description: 'Id of the link', format: 'uuid' }),
  url,
  title,
});
export type FeatureLink = Static<typeof FeatureLink>;

export const LinkInput = NamedObject(
  'FeatureLinkInput',
  { url, title: Type.Optional(title) },
  { examples: [{ url: 'https://example.com/tickets/42', title: 'The ticket' }] },
);
export type LinkInput = Static<typeof LinkInput>;
