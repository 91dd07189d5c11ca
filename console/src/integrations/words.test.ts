import { expect, test } from 'vitest';
import type { Integration } from './queries.ts';
import { describeEvents, getIntegrationState, getIntegrationTitle } from './words.ts';

const integration = (fields: Partial<Integration> = {}): Integration => ({
  id: 1,
  provider: 'webhook',
  description: null,
  enabled: true,
  parameters: {},
  events: ['*'],
  projects: [],
  environments: [],
  eventsWithoutProject: false,
  filter: null,
  ordered: false,
  whenExhausted: 'skip',
  createdAt: '2026-11-15T09:00:00Z',
  failingSince: null,
  disabledAt: null,
  disabledBecause: null,
  oldSecretUntil: null,
  problem: null,
  ...fields,
});
const NOW = Date.parse('2026-11-15T10:00:00Z');

test.each([
  [{}, 'Enabled'],
  [{ enabled: false }, 'Disabled'],
  [{ enabled: false, disabledBecause: 'Every attempt failed for 120 hours.' }, 'Disabled by the server'],
  [{ failingSince: '2026-11-15T09:49:00Z' }, 'Failing for 11 min'],
  [{ problem: 'The signing secret cannot be decrypted. Rotate it.' }, 'Misconfigured'],
])('describes the state of %j', (fields, label) => {
  expect(getIntegrationState(integration(fields), NOW).label).toBe(label);
});

test.each([
  [{}, 'Every event'],
  [{ events: ['feature-created'], projects: ['payments'] }, '1 event type from Payments'],
  [{ environments: ['production'], filter: { query: 'a' } }, 'Every event in production, filtered'],
  [{ projects: ['a', 'b', 'c', 'd'] }, 'Every event from a, b and 2 others'],
])('describes the events of %j', (fields, expected) => {
  expect(describeEvents(integration(fields), new Map([['payments', 'Payments']]))).toBe(expected);
});

test('falls back to the provider for an integration without a description', () => {
  expect(getIntegrationTitle(integration({ description: 'To the warehouse' }))).toBe('To the warehouse');
  expect(getIntegrationTitle(integration(), [{ name: 'webhook', displayName: 'Webhook' }])).toBe('Webhook');
});
