import { expect, test } from 'vitest';
import { formatJson, jsonProblem } from './json.ts';

test('formats JSON like JSON.stringify', () => {
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

test('returns invalid JSON as it is, and says what is wrong', () => {
  expect(formatJson('{"a":1,}')).toBe('{"a":1,}');
  expect(jsonProblem('{"a":1,}')).toMatch(/JSON/);
  expect(jsonProblem('')).toMatch(/JSON/);
  expect(jsonProblem('{"a":1}')).toBeUndefined();
});
