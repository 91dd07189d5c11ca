import { expect, test } from 'vitest';
import { formatShare, groupByApplication, groupByEnvironment } from './usage.ts';

const NOW = Date.parse('2026-11-15T14:30:00Z');
const countsWith = (fields: object) => ({
  featureName: 'checkout',
  appName: 'shop',
  environment: 'production',
  timestamp: '2026-11-15T14:00:00.000Z',
  yes: 3,
  no: 1,
  variants: {},
  ...fields,
});

test('adds up counts by hour', () => {
  const [development, production] = groupByEnvironment(
    [
      countsWith({ variants: { blue: 2 } }),
      countsWith({ appName: 'mail', variants: { blue: 1, red: 4 } }),
      countsWith({ timestamp: '2026-11-14T15:00:00.000Z', yes: 5, no: 0 }),
      // Older than the first slot.
      countsWith({ timestamp: '2026-11-14T14:00:00.000Z', yes: 100 }),
    ],
    'day',
    ['development', 'production'],
    NOW,
  );

  expect(development).toMatchObject({ environment: 'development', yes: 0, no: 0 });
  expect(production).toMatchObject({ yes: 11, no: 2 });
  expect(production?.slots).toHaveLength(24);
  expect(production?.slots[0]).toEqual({ at: '2026-11-14T15:00:00.000Z', yes: 5, no: 0 });
  expect(production?.slots.at(-1)).toEqual({ at: '2026-11-15T14:00:00.000Z', yes: 6, no: 2 });
  expect(production?.variants).toEqual([
    ['red', 4],
    ['blue', 3],
  ]);
});

test('adds up counts by day', () => {
  const [production] = groupByEnvironment(
    [countsWith({ timestamp: '2026-10-17T00:00:00.000Z' })],
    'month',
    ['production'],
    NOW,
  );

  expect(production?.slots).toHaveLength(30);
  expect(production?.slots[0]).toEqual({ at: '2026-10-17T00:00:00.000Z', yes: 3, no: 1 });
});

test('adds up counts by application, with the most requests first', () => {
  const applications = groupByApplication(
    [
      countsWith({}),
      countsWith({ appName: 'mail', yes: 50 }),
      countsWith({ environment: 'development' }),
      // Older than the first slot of the environments.
      countsWith({ timestamp: '2026-11-14T14:00:00.000Z', yes: 100 }),
    ],
    'day',
    ['development', 'production'],
    NOW,
  );

  expect(applications).toEqual([
    { appName: 'mail', yes: 50, no: 1, environments: ['production'] },
    { appName: 'shop', yes: 6, no: 2, environments: ['development', 'production'] },
  ]);
});

test.each([
  [0, 0, '0 %'],
  [0, 9, '0 %'],
  [9, 9, '100 %'],
  [1, 1000, '1 %'],
  [999, 1000, '99 %'],
  [3, 4, '75 %'],
])('formats %d of %d as %s', (part, total, text) => {
  expect(formatShare(part, total)).toBe(text);
});
