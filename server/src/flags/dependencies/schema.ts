import { Named, NamedObject, Optional, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

const feature = Type.String({ description: 'Name of the parent', examples: ['payments'] });
const enabled = Type.Boolean({ description: 'true: the parent must be enabled; false: it must be disabled' });

export const Dependency = SharedObject('Dependency', 'A parent, and the state it must be in', {
  feature,
  enabled,
  variants: Type.Array(Type.String({ examples: ['blue'] }), {
    description: 'The parent must serve one of these variants. An empty list allows every variant.',
  }),
});
export type Dependency = Static<typeof Dependency>;

export const NewDependency = NamedObject(
  'NewDependency',
  {
    feature: Type.String({ ...feature, minLength: 1, maxLength: 100 }),
    enabled: Type.Optional(enabled),
    variants: Optional.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['blue'] }), {
      maxItems: 100,
      description: 'The parent must serve one of these variants. Allowed only if enabled is true.',
    }),
  },
  { examples: [{ feature: 'payments', enabled: true, variants: ['blue'] }] },
);
export type NewDependency = Static<typeof NewDependency>;

export const PossibleParents = Named(
  'PossibleParents',
  Type.Array(Type.String({ examples: ['payments'] }), { description: 'Feature names' }),
);

export const ParentVariants = Named(
  'ParentVariants',
  Type.Array(Type.String({ examples: ['blue'] }), { description: 'Variant names' }),
);

export const DependenciesExist = Named(
  'DependenciesExist',
  Type.Boolean({
    description: 'true: a feature of the project depends on another feature',
    examples: [true],
  }),
);
