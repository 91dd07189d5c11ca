import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventTypesByRoute } from '../api/events.gen.ts';
import { keys } from '../api/keys.ts';
import { EVERYTHING, FIND_KEYS_BY_TYPE, listAffectedKeys } from './affected-keys.ts';

const openapi = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const types: string[] = openapi.components.schemas.EventType.enum;

test('FIND_KEYS_BY_TYPE has an entry for every event type in the API', () => {
  expect(types.length).toBeGreaterThan(100);
  expect(Object.keys(FIND_KEYS_BY_TYPE).toSorted()).toEqual(types.toSorted());
});

test("refreshes an event's flag and the flag's history, but no other flags", () => {
  const affectedKeys = listAffectedKeys('feature-environment-enabled', {
    projectId: 'payments',
    featureName: 'checkout',
  });

  expect(affectedKeys).toContainEqual(keys.feature({ projectId: 'payments', featureName: 'checkout' }));
  expect(affectedKeys).toContainEqual(keys.featureEvents('checkout'));
  expect(affectedKeys).not.toContainEqual(keys.feature());
});

test('refreshes all flags if the flag is unknown, but no flag history for an event without a flag', () => {
  expect(listAffectedKeys('feature-metadata-updated', {})).toContainEqual(keys.feature());
  expect(listAffectedKeys('feature-metadata-updated', { projectId: 'payments' })).toContainEqual([
    'feature',
    'payments',
  ]);
  expect(listAffectedKeys('segment-updated', { projectId: null, featureName: null })).not.toContainEqual(
    keys.featureEvents(),
  );
});

test('refreshes everything for an unknown event type', () => {
  // A newer server could send this type.
  expect(listAffectedKeys('feature-painted' as never, {})).toContainEqual(EVERYTHING);
});

test('events.gen.ts lists the events of the operations in the API document', () => {
  expect(Object.keys(eventTypesByRoute).length).toBeGreaterThan(130);
  expect(eventTypesByRoute['POST /api/admin/projects']).toEqual(['project-created', 'project-access-added']);
});
