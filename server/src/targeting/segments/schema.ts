import {
  DisplayName,
  NamedObject,
  Nullable,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { Constraint, ConstraintInput } from '../constraints/schema.ts';

const name = DisplayName({ description: 'Unique in the instance', examples: ['beta-users'] });
const description = Nullable.String({
  description: 'Which users the segment describes',
  maxLength: 500,
  examples: ['Users in the beta program'],
});
const project = Nullable.String({
  maxLength: 100,
  description: 'The project that may use the segment; null: all projects',
  examples: ['payments'],
});
const constraints = Type.Array(ConstraintInput, {
  maxItems: 100,
  description:
    'The segment matches when all constraints match. At most 30 constraints with at most 1,000 values in total.',
});

export const Segment = SharedObject('Segment', 'A segment', {
  id: Type.Integer({ description: 'Id of the segment', examples: [3] }),
  name,
  description,
  constraints: Type.Array(Ref(Constraint)),
  project,
  createdAt: Timestamp('When the segment was created'),
  createdBy: Type.String({
    description: 'Name of the user who created the segment',
    examples: ['alice'],
  }),
  usedInFeatures: Type.Integer({
    description: 'Features with a strategy that uses the segment, in projects the caller may read',
    examples: [2],
  }),
  usedInProjects: Type.Integer({
    description: 'Projects of those features',
    examples: [1],
  }),
});
export type Segment = Static<typeof Segment>;

export const SegmentList = SharedObject('SegmentList', { segments: Type.Array(Ref(Segment)) });

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
        description: 'Users in the beta program',
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
