import {
  DisplayName,
  NamedObject,
  Ref,
  SharedObject,
  Timestamp,
} from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const MAX_VIEWS = 100;

const content = {
  name: DisplayName({
    description: 'Unique among the views of the user',
    examples: ['Production this week'],
  }),
  page: Type.String({
    minLength: 1,
    maxLength: 200,
    // Browsers read a backslash as a slash and remove tabs and line breaks, so such a path could lead to a different host.
    pattern: '^/(?!/)[^\\\\\\s]*$',
    'x-rule': 'must be a path that starts with one slash, without backslashes and whitespace',
    description: 'Path of the console page, such as /events',
    examples: ['/events'],
  }),
  query: Type.String({
    maxLength: 8_000,
    pattern: '^([^?]|$)',
    'x-rule': 'must not start with ?',
    description: 'Query string of the page, without the question mark',
    examples: ['environment=IS:production&from=IS:2026-11-08'],
  }),
};

export const SavedView = SharedObject('SavedView', {
  id: Type.Integer({ description: 'Id of the view', examples: [3] }),
  ...content,
  createdAt: Timestamp('When the view was created'),
  updatedAt: Timestamp('When the view was last changed'),
});
export type SavedView = Static<typeof SavedView>;

export const SavedViewList = SharedObject('SavedViewList', {
  views: Type.Array(Ref(SavedView), { description: 'Sorted by name' }),
});

export const SavedViewInput = NamedObject('SavedViewInput', content, {
  examples: [
    {
      name: 'Production this week',
      page: '/events',
      query: 'environment=IS:production&from=IS:2026-11-08',
    },
  ],
});
export type SavedViewInput = Static<typeof SavedViewInput>;
