import { type Static, Type } from 'typebox';
import { Named, Nullable } from '../http/schema.ts';

export const FeatureLink = Named(
  'FeatureLink',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    url: Type.String({ examples: ['https://example.com/tickets/42'] }),
    title: Nullable(Type.String({ examples: ['The ticket'] })),
  }),
);
export type FeatureLink = Static<typeof FeatureLink>;
