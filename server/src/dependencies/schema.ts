import { type Static, Type } from 'typebox';
import { Named } from '../http/schema.ts';

export const Dependency = Named(
  'Dependency',
  Type.Object({
    feature: Type.String({ description: 'The parent', examples: ['payments'] }),
    enabled: Type.Boolean({ description: 'true: the parent must be on; false: it must be off' }),
    variants: Type.Array(Type.String({ examples: ['blue'] }), {
      description: 'If any: the parent must give one of these',
    }),
  }),
);
export type Dependency = Static<typeof Dependency>;
