import { expect, test } from 'vitest';
import { judge } from './judge.ts';

const result = (total: number, ...ids: number[]) => ({ total, ids });
const page = { limit: 2 };

test('a response must equal plain SQL that did not change meanwhile', () => {
  const plain = result(3, 9, 7);

  expect(judge(page, plain, result(3, 9, 7), plain)).toBe('equal');
  expect(judge(page, plain, result(4, 9, 7), plain)).toBe('total 4 instead of 3');
  expect(judge(page, plain, result(3, 9, 5), plain)).toContain('instead of');
});

test('a response between two results has a total and a page between theirs', () => {
  const before = result(3, 9, 7);
  const after = result(5, 12, 11);

  expect(judge(page, before, result(4, 12, 9), after)).toBe('between');
  expect(judge(page, before, result(4, 11, 9), after)).toBe('between');
  expect(judge(page, before, result(6, 12, 11), after)).toContain('total 6');
  expect(judge(page, before, result(4, 9), after)).toBe('1 events instead of 2');
  expect(judge(page, before, result(4, 9, 9), after)).toBe('wrong order');
  expect(judge(page, before, result(4, 13, 9), after)).toContain('neither before nor after');
  expect(judge(page, before, result(4, 9, 5), after)).toContain('neither before nor after');
});
