import { expect, test } from 'vitest';
import { addRevertedEvent, findRevertedEvent, listReverts, toRevertText } from './revert-reason.ts';

const event = { id: 79, label: 'Flag strategy updated' };

test('adds the reverted event to the reason for a revert, if it fits', () => {
  expect(addRevertedEvent(' ', event)).toBe('Reverts event 79: Flag strategy updated');
  expect(addRevertedEvent('Too slow', event)).toBe('Too slow (reverts event 79)');
  expect(addRevertedEvent('x'.repeat(500), event)).toBe('x'.repeat(500));
});

test('finds the reverted event in a comment', () => {
  expect(findRevertedEvent(addRevertedEvent('', event))).toEqual({
    before: 'Reverts event ',
    id: '79',
    after: ': Flag strategy updated',
  });
  expect(findRevertedEvent(addRevertedEvent('Two\nlines', event))).toEqual({
    before: 'Two\nlines (reverts event ',
    id: '79',
    after: ')',
  });
  expect(findRevertedEvent('Reverts the event')).toBeUndefined();
});

test('lists each revert of an event once, and no revert of an event whose id begins with the same digits', () => {
  const found = (id: number, groupId: string, comment?: string) => ({
    id,
    groupId,
    ...(comment && { comment }),
  });
  const [comment, commentWithReason] = ['', 'Too slow'].map(reason => addRevertedEvent(reason, event));
  const events = [
    found(95, 'd', addRevertedEvent('', { ...event, id: 790 })),
    found(94, 'c', comment),
    found(91, 'b', commentWithReason),
    found(90, 'b', commentWithReason),
    found(85, 'a'),
  ];

  expect(listReverts(events, 79).map(({ id }) => id)).toEqual([94, 90]);
  for (const text of [comment, commentWithReason]) expect(text?.toLowerCase()).toContain(toRevertText(79));
});
