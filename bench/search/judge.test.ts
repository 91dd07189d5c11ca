import { expect, test } from 'vitest';
import { judgeResult } from './judge.ts';

const result = (total: number, ...ids: number[]) => ({ total, ids });
const search = { limit: 2 };

test('a response must equal the plain SQL result if that result did not change during the request', () => {
  const plain = result(3, 9, 7);

  expect(judgeResult(search, plain, result(3, 9, 7), plain)).toBe('equal');
  expect(judgeResult(search, plain, result(4, 9, 7), plain)).toBe('total 4 instead of 3');
  expect(judgeResult(search, plain, result(3, 9, 5), plain)).toContain('instead of');
});

test('if the plain SQL result changed during the request, any total and page in between is valid', () => {
  const resultBefore = result(3, 9, 7);
  const resultAfter = result(5, 12, 11);

  expect(judgeResult(search, resultBefore, result(4, 12, 9), resultAfter)).toBe('between');
  expect(judgeResult(search, resultBefore, result(4, 11, 9), resultAfter)).toBe('between');
  expect(judgeResult(search, resultBefore, result(6, 12, 11), resultAfter)).toContain('total 6');
  expect(judgeResult(search, resultBefore, result(4, 9), resultAfter)).toBe('1 events instead of 2');
  expect(judgeResult(search, resultBefore, result(4, 9, 9), resultAfter)).toBe('wrong order');
  expect(judgeResult(search, resultBefore, result(4, 13, 9), resultAfter)).toContain(
    'outside the range of ids',
  );
  expect(judgeResult(search, resultBefore, result(4, 9, 5), resultAfter)).toContain(
    'outside the range of ids',
  );
});
