import { expect, test } from 'vitest';
import { isForAgent, NO_SCOPE, toScope } from './words.ts';

test('limits a read-only agent token to its projects, and ignores the number of changes', () => {
  const draft = { ...NO_SCOPE, access: 'agent-read' as const, projects: ['payments'], maxChanges: '5' };

  expect(toScope(draft)).toEqual({ readOnly: true, projects: ['payments'] });
  expect(isForAgent(draft.access)).toBe(true);
});

test('lets a read-only personal token read all projects', () => {
  expect(toScope({ ...NO_SCOPE, access: 'read' })).toEqual({ readOnly: true });
  expect(isForAgent('read')).toBe(false);
});
