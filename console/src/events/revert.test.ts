import { expect, test } from 'vitest';
import type { Event } from './queries.ts';
import { getRevertCall, isRevertible } from './revertible.ts';

const event = (fields: object): Event =>
  ({
    project: 'payments',
    featureName: 'checkout',
    environment: 'production',
    preData: null,
    data: null,
    ...fields,
  }) as Event; // The functions read only these fields.

test('an event is revertible only if its type is revertible and it contains the necessary data', () => {
  expect(isRevertible(event({ type: 'feature-environment-enabled' }))).toBe(true);
  expect(isRevertible(event({ type: 'feature-strategy-update', preData: {}, data: {} }))).toBe(true);
  expect(isRevertible(event({ type: 'feature-strategy-update', data: {} }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-strategy-remove', data: {} }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-environment-enabled', environment: null }))).toBe(false);
  expect(isRevertible(event({ type: 'feature-deleted', preData: {} }))).toBe(false);
});

test("returns the operation that reverts an event, and the event's project and environment", () => {
  const segment = event({ type: 'segment-updated', preData: {}, data: {}, environment: null });
  const toggle = event({ type: 'feature-environment-enabled' });
  if (!isRevertible(segment) || !isRevertible(toggle)) throw new Error('Both events must be revertible.');

  expect(getRevertCall(toggle)).toEqual({
    call: 'disableFeature',
    project: 'payments',
    environment: 'production',
  });
  expect(getRevertCall(segment)).toEqual({ call: 'updateProjectSegment', project: 'payments' });
  expect(getRevertCall({ ...segment, project: null })).toEqual({ call: 'updateSegment' });
});
