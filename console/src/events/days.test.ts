import { expect, test } from 'vitest';
import { barsOf, rangeOf, ticksOf, windowOf } from './days.ts';

const now = Date.UTC(2026, 10, 15, 12);

test('shows the last 30 days without a filter', () => {
  expect(windowOf({}, now)).toEqual({ from: '2026-10-17', to: '2026-11-15', today: '2026-11-15' });
});

test('shows more days for a filter that begins earlier, and at most 120', () => {
  expect(windowOf({ from: '2026-09-01' }, now)).toMatchObject({ from: '2026-09-01', to: '2026-11-15' });
  expect(windowOf({ from: '2020-01-01' }, now)).toMatchObject({ from: '2026-07-19', to: '2026-11-15' });
});

test('shows the days up to a filter that ended earlier', () => {
  expect(windowOf({ to: '2026-06-30' }, now)).toMatchObject({ from: '2026-06-01', to: '2026-06-30' });
});

test('has a bar for each day, even for days without events', () => {
  const bars = barsOf('2026-11-13', '2026-11-15', [{ value: '2026-11-14', count: 1 }]);

  expect(bars.map(bar => bar.label)).toEqual(['13 Nov: 0 events', '14 Nov: 1 event', '15 Nov: 0 events']);
});

test('names days at equal distances', () => {
  expect(ticksOf('2026-10-18', '2026-11-15', '2026-11-15')).toEqual([
    ...['18 Oct', '25 Oct', '1 Nov', '8 Nov', 'today'],
  ]);
  expect(ticksOf('2026-11-15', '2026-11-15', '2026-11-15')).toEqual(['today']);
});

test('leaves a range open that ends today', () => {
  expect(rangeOf('2026-11-08', '2026-11-15', '2026-11-15')).toEqual({ from: 'IS:2026-11-08', to: undefined });
  expect(rangeOf('2026-11-08', '2026-11-09', '2026-11-15')).toEqual({
    from: 'IS:2026-11-08',
    to: 'IS:2026-11-09',
  });
});
