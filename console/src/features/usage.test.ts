import { expect, test } from 'vitest';
import { byApplication, byEnvironment, shareOf } from './usage.ts';

const NOW = Date.parse('2026-11-15T14:30:00Z');
const counted = (fields: object) => ({
  featureName: 'checkout',
  appName: 'shop',
  environment: 'production',
  timestamp: '2026-11-15T14:00:00.000Z',
  yes: 3,
  no: 1,
  variants: {},
  ...fields,
});

test('counts go to the hours of a day, and an environment without counts is listed', () => {
  const [development, production] = byEnvironment(
    [
      counted({ variants: { blue: 2 } }),
      counted({ appName: 'mail', variants: { blue: 1, red: 4 } }),
      counted({ timestamp: '2026-11-14T15:00:00.000Z', yes: 5, no: 0 }),
      // Older than the first slot.
      counted({ timestamp: '2026-11-14T14:00:00.000Z', yes: 100 }),
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

test('counts go to the days of a month', () => {
  const [production] = byEnvironment(
    [counted({ timestamp: '2026-10-17T00:00:00.000Z' })],
    'month',
    ['production'],
    NOW,
  );

  expect(production?.slots).toHaveLength(30);
  expect(production?.slots[0]).toEqual({ at: '2026-10-17T00:00:00.000Z', yes: 3, no: 1 });
});

test('applications are sorted by their counts, and cover the same hours as the environments', () => {
  const found = byApplication(
    [
      counted({}),
      counted({ appName: 'mail', yes: 50 }),
      counted({ environment: 'development' }),
      // Older than the first slot of the environments.
      counted({ timestamp: '2026-11-14T14:00:00.000Z', yes: 100 }),
    ],
    'day',
    ['development', 'production'],
    NOW,
  );

  expect(found).toEqual([
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
])('%d of %d is %s', (part, all, text) => {
  expect(shareOf(part, all)).toBe(text);
});
