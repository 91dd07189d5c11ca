import { expect, test } from 'vitest';
import type { Event } from './queries.ts';
import { isRevertible, revertingCall } from './revertible.ts';

const event = (fields: object): Event =>
  ({
    project: 'payments',
    featureName: 'checkout',
    environment: 'production',
    preData: null,
    data: null,
    ...fields,
  }) as Event; // Only the fields that the functions read.

test('an event is revertible if it has the former state', () => {
  expect(isRevertible(event({ type: 'feature-environment-enabled' }))).toBe(true);
  expect(isRevertible(event({ type: 'feature-strategy-update', preData: {}, data: {} }))).toBe(true);
  expect(isRevertible(event({ type: 'feature-strategy-update', data: {} }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-strategy-remove', data: {} }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-environment-enabled', environment: null }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-deleted', preData: {} }))).toBe(false);
});

test('reverting requires the permission of the opposite operation in the scope of the event', () => {
  const segment = event({ type: 'segment-updated', preData: {}, data: {}, environment: null });
  const enabled = event({ type: 'feature-environment-enabled' });
  if (!isRevertible(segment) || !isRevertible(enabled)) throw new Error('Both are revertible.');

  expect(revertingCall(enabled)).toEqual({
    call: 'disableFeature',
    project: 'payments',
    environment: 'production',
  });
  expect(revertingCall(segment)).toEqual({ call: 'updateProjectSegment', project: 'payments' });
  expect(revertingCall({ ...segment, project: null })).toEqual({ call: 'updateSegment' });
});
