import { expect, test } from 'vitest';
import { findJsonProblem, formatJson } from './json.ts';

test('formats JSON the way JSON.stringify does', () => {
  const value = { a: [1, -2.5e3, { b: null }], 'c "d" {,:}': 'x\\"y', empty: {}, none: [], deep: [[[]]] };
  const formatted = JSON.stringify(value, null, 2);

  expect(formatJson(JSON.stringify(value))).toBe(formatted);
  expect(formatJson(formatted)).toBe(formatted);
  expect(formatJson(' 1 ')).toBe('1');
});

test('keeps every digit of a number', () => {
  expect(formatJson('{"id":12345678901234567890,"rate":1.10}')).toBe(
    '{\n  "id": 12345678901234567890,\n  "rate": 1.10\n}',
  );
});

test('returns invalid JSON unchanged, and describes the problem', () => {
  expect(formatJson('{"a":1,}')).toBe('{"a":1,}');
  expect(findJsonProblem('{"a":1,}')).toMatch(/JSON/);
  expect(findJsonProblem('')).toMatch(/JSON/);
  expect(findJsonProblem('{"a":1}')).toBeUndefined();
});
