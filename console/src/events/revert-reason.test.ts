import { expect, test } from 'vitest';
import { addRevertedEvent, findRevertedEvent, isRevertOf, toRevertText } from './revert-reason.ts';

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

test('recognizes the revert of an event by its comment, but not the revert of an event whose id begins with the same digits', () => {
  for (const reason of ['', 'Too slow']) {
    const comment = addRevertedEvent(reason, event);

    expect(comment.toLowerCase()).toContain(toRevertText(79));
    expect(isRevertOf(comment, 79)).toBe(true);
    expect(isRevertOf(comment, 7)).toBe(false);
  }
  expect(isRevertOf(undefined, 79)).toBe(false);
});
