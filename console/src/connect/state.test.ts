import { expect, test } from 'vitest';
import { deriveConnection, formatSdk } from './state.ts';

const token = { environment: 'production', createdAt: '2026-11-15T09:30:00.000Z' };
const application = {
  appName: 'shop',
  environment: 'production',
  sdkVersion: 'unleash-node-sdk:6.12.1',
  instances: 1,
  lastSeen: '2026-11-15T09:31:00.000Z',
};
const flag = (name: string, lastSeenAt: string, environments = ['production']) => ({
  name,
  lastSeenAt,
  environments,
});

test('reports "waiting" before the first request', () => {
  expect(deriveConnection(token, undefined, [], undefined)).toEqual({ state: 'waiting' });
});

test('distinguishes a client without an SDK from a registered SDK', () => {
  const seenAt = '2026-11-15T09:31:00.000Z';

  expect(deriveConnection(token, undefined, [], seenAt)).toEqual({ state: 'used', seenAt });
  expect(deriveConnection(token, application, [], seenAt)).toEqual({ state: 'registered', application });
});

test("returns the flag that was evaluated last in the token's environment", () => {
  const flags = [
    flag('first', '2026-11-15T09:32:00.000Z'),
    flag('last', '2026-11-15T09:34:00.000Z'),
    flag('other-environment', '2026-11-15T09:35:00.000Z', ['development']),
  ];

  expect(deriveConnection(token, application, flags, undefined)).toMatchObject({
    state: 'evaluated',
    flag: 'last',
  });
});

test('ignores flags that the application evaluated before the token existed', () => {
  const flags = [flag('old', '2026-11-15T07:00:00.000Z')];

  expect(deriveConnection(token, application, flags, undefined).state).toBe('registered');
});

test('separates an SDK from its version', () => {
  expect(formatSdk('unleash-node-sdk:6.12.1')).toBe('unleash-node-sdk 6.12.1');
  expect(formatSdk(null)).toBeUndefined();
});
