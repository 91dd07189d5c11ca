import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventTypesByRoute } from '../api/events.gen.ts';
import { keys } from '../api/keys.ts';
import { EVERYTHING, listAffectedKeys, TABLE } from './table.ts';

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const types: string[] = openapi.components.schemas.EventType.enum;

test('has a row for every event type of the API', () => {
  expect(types.length).toBeGreaterThan(100);
  expect(Object.keys(TABLE).toSorted()).toEqual(types.toSorted());
});

test('an event refreshes its flag and the history of the flag, but no other flags', () => {
  const affectedKeys = listAffectedKeys('feature-environment-enabled', {
    projectId: 'payments',
    featureName: 'checkout',
  });

  expect(affectedKeys).toContainEqual(keys.feature({ projectId: 'payments', featureName: 'checkout' }));
  expect(affectedKeys).toContainEqual(keys.featureEvents('checkout'));
  expect(affectedKeys).not.toContainEqual(keys.feature());
});

test('a change of an unknown flag refreshes all flags, but an event without a flag refreshes no history of a flag', () => {
  expect(listAffectedKeys('feature-metadata-updated', {})).toContainEqual(keys.feature());
  expect(listAffectedKeys('feature-metadata-updated', { projectId: 'payments' })).toContainEqual([
    'feature',
    'payments',
  ]);
  expect(listAffectedKeys('segment-updated', { projectId: null, featureName: null })).not.toContainEqual(
    keys.featureEvents(),
  );
});

test('an event of a type that this version does not know refreshes everything', () => {
  // A newer server could send this type.
  expect(listAffectedKeys('feature-painted' as never, {})).toContainEqual(EVERYTHING);
});

test('events.gen.ts lists the events of the operations in the API document', () => {
  expect(Object.keys(eventTypesByRoute).length).toBeGreaterThan(130);
  expect(eventTypesByRoute['POST /api/admin/projects']).toEqual(['project-created', 'project-access-added']);
});
