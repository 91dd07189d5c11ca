import {
  DisplayName,
  NamedObject,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';
import { SavedViewInput } from '../../people/views/schema.ts';

export const MAX_PROJECT_VIEWS = 50;

const name = DisplayName({
  description: 'Unique among the views of the project',
  examples: ['Production this week'],
});
const { page, query } = SavedViewInput.properties;

export const ProjectView = SharedObject('ProjectView', {
  id: Type.Integer({ description: 'Id of the view', examples: [3] }),
  name,
  page,
  query,
  createdByUserId: Type.Integer({ description: 'Id of the user who shared the view', examples: [7] }),
  createdBy: Type.String({
    description: 'Username or email address of the user who shared the view',
    examples: ['alice'],
  }),
  createdAt: Timestamp('When the view was shared'),
});
export type ProjectView = Static<typeof ProjectView>;

export const ProjectViewList = SharedObject('ProjectViewList', {
  views: Type.Array(Ref(ProjectView), { description: 'Sorted by name' }),
});

export const ProjectViewInput = NamedObject(
  'ProjectViewInput',
  { name, page, query },
  {
    examples: [
      {
        name: 'Production this week',
        page: '/projects/payments/events',
        query: 'environment=IS:production&from=IS:2026-11-08',
      },
    ],
  },
);
export type ProjectViewInput = Static<typeof ProjectViewInput>;
