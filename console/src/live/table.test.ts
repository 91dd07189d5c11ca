import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventsOf } from '../api/events.gen.ts';
import { keys } from '../api/keys.ts';
import { EVERYTHING, keysOf, TABLE } from './table.ts';

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const types: string[] = openapi.components.schemas.EventType.enum;

test('has a row for every event type of the API', () => {
  expect(types.length).toBeGreaterThan(100);
  expect(Object.keys(TABLE).toSorted()).toEqual(types.toSorted());
});

test('an event refreshes the events of its flag, and not those of other flags', () => {
  const found = keysOf('feature-environment-enabled', { projectId: 'payments', featureName: 'checkout' });

  expect(found).toContainEqual(keys.feature({ projectId: 'payments', featureName: 'checkout' }));
  expect(found).toContainEqual(keys.eventsOf('checkout'));
  expect(found).not.toContainEqual(keys.feature());
});

test('a change of an unknown flag refreshes all flags, and an event without a flag none', () => {
  expect(keysOf('feature-metadata-updated', {})).toContainEqual(keys.feature());
  expect(keysOf('feature-metadata-updated', { projectId: 'payments' })).toContainEqual([
    'feature',
    'payments',
  ]);
  expect(keysOf('segment-updated', { projectId: null, featureName: null })).not.toContainEqual(
    keys.eventsOf(),
  );
});

test('an event of a type that this version does not know refreshes everything', () => {
  // As a newer server would send it.
  expect(keysOf('feature-painted' as never, {})).toContainEqual(EVERYTHING);
});

test('the API document lists the events of every change that the console makes', () => {
  expect(Object.keys(eventsOf).length).toBeGreaterThan(130);
  expect(eventsOf['POST /api/admin/projects']).toEqual(['project-created', 'project-access-added']);
});
