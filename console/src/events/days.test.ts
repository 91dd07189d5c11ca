import { expect, test } from 'vitest';
import { chooseDayRange, createBars, filterForDays, formatTicks } from './days.ts';

const now = Date.UTC(2026, 10, 15, 12);

test('shows the last 30 days if there is no filter', () => {
  expect(chooseDayRange({}, now)).toEqual({ from: '2026-10-17', to: '2026-11-15', today: '2026-11-15' });
});

test('shows up to 120 days for a filter that begins more than 30 days ago', () => {
  expect(chooseDayRange({ from: '2026-09-01' }, now)).toMatchObject({ from: '2026-09-01', to: '2026-11-15' });
  expect(chooseDayRange({ from: '2020-01-01' }, now)).toMatchObject({ from: '2026-07-19', to: '2026-11-15' });
});

test('shows the 30 days up to the end of a filter that ends more than 30 days ago', () => {
  expect(chooseDayRange({ to: '2026-06-30' }, now)).toMatchObject({ from: '2026-06-01', to: '2026-06-30' });
});

test('shows a bar for each day, including days without events', () => {
  const bars = createBars('2026-11-13', '2026-11-15', [{ value: '2026-11-14', count: 1 }]);

  expect(bars.map(bar => bar.label)).toEqual(['13 Nov: 0 events', '14 Nov: 1 event', '15 Nov: 0 events']);
});

test('labels days at equal intervals', () => {
  expect(formatTicks('2026-10-18', '2026-11-15', '2026-11-15')).toEqual([
    ...['18 Oct', '25 Oct', '1 Nov', '8 Nov', 'today'],
  ]);
  expect(formatTicks('2026-11-15', '2026-11-15', '2026-11-15')).toEqual(['today']);
});

test('omits the end from the filter for a range that ends today', () => {
  expect(filterForDays('2026-11-08', '2026-11-15', '2026-11-15')).toEqual({
    from: 'IS:2026-11-08',
    to: undefined,
  });
  expect(filterForDays('2026-11-08', '2026-11-09', '2026-11-15')).toEqual({
    from: 'IS:2026-11-08',
    to: 'IS:2026-11-09',
  });
});
