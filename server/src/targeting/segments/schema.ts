import { type Static, Type } from 'typebox';
import { Named, NamedObject, Nullable, Ref, Timestamp } from '../../platform/http/schema.ts';
import { Constraint, ConstraintInput } from '../constraints/schema.ts';

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  'x-rule': 'must not be blank',
  description: 'Unique in the instance',
  examples: ['beta-users'],
});
const description = Nullable(Type.String({ maxLength: 500, examples: ['Those who test for us'] }));
const project = Nullable(
  Type.String({
    maxLength: 100,
    description: 'Where the segment may be used; null: in all projects',
    examples: ['payments'],
  }),
);
const constraints = Type.Array(ConstraintInput, {
  maxItems: 100,
  description: 'All of them must be true; at most 30, with at most 1,000 values together',
});

export const Segment = Named(
  'Segment',
  Type.Object({
    id: Type.Integer({ examples: [3] }),
    name,
    description,
    constraints: Type.Array(Ref(Constraint)),
    project,
    createdAt: Timestamp('When the segment was created'),
    createdBy: Type.String({ description: 'Who created it', examples: ['alice'] }),
    usedInFeatures: Type.Integer({
      description: 'Features with a strategy that uses it, in projects the caller may read',
      examples: [2],
    }),
    usedInProjects: Type.Integer({
      description: 'Projects of those features',
      examples: [1],
    }),
  }),
);
export type Segment = Static<typeof Segment>;

export const SegmentList = Named('SegmentList', Type.Object({ segments: Type.Array(Ref(Segment)) }));

/** What creates a segment, and what replaces it. */
export const SegmentInput = NamedObject(
  'SegmentInput',
  {
    name,
    description: Type.Optional(description),
    project: Type.Optional(project),
    constraints,
  },
  {
    examples: [
      {
        name: 'beta-users',
        description: 'Those who test for us',
        constraints: [{ contextName: 'userId', operator: 'IN', values: ['7', '11'] }],
      },
    ],
  },
);
export type SegmentInput = Static<typeof SegmentInput>;

export const SegmentNameCheck = NamedObject(
  'SegmentNameCheck',
  { name },
  { examples: [{ name: 'beta-users' }] },
);
