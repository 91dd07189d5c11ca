import { expect, test } from 'vitest';
import { addValues } from './draft.ts';

test('reads a pasted table: a value in each line, and its description', () => {
  expect(addValues('NO\tNorway\nSE, Sweden\r\n\nDK', [])).toEqual([
    { value: 'NO', description: 'Norway' },
    { value: 'SE', description: 'Sweden' },
    { value: 'DK' },
  ]);
});

test('reads values that commas separate in one line', () => {
  expect(addValues('NO, SE; DK,', [])).toEqual([{ value: 'NO' }, { value: 'SE' }, { value: 'DK' }]);
});

test('keeps the place of a value that exists, and takes the new description', () => {
  const before = [{ value: 'NO', description: 'norway' }, { value: 'SE' }];

  expect(addValues('NO\tNorway\nDK', before)).toEqual([
    { value: 'NO', description: 'Norway' },
    { value: 'SE' },
    { value: 'DK' },
  ]);
});

test('keeps a description that the pasted list does not have', () => {
  expect(addValues('NO', [{ value: 'NO', description: 'Norway' }])).toEqual([
    { value: 'NO', description: 'Norway' },
  ]);
});
