import { expect, test } from 'vitest';
import { addValues } from './draft.ts';

test('reads a pasted table with a value and a description per line', () => {
  expect(addValues('NO\tNorway\nSE, Sweden\r\n\nDK', [])).toEqual([
    { value: 'NO', description: 'Norway' },
    { value: 'SE', description: 'Sweden' },
    { value: 'DK' },
  ]);
});

test('reads values separated by commas or semicolons in one line', () => {
  expect(addValues('NO, SE; DK,', [])).toEqual([{ value: 'NO' }, { value: 'SE' }, { value: 'DK' }]);
});

test('keeps the position of an existing value and replaces its description', () => {
  const existingValues = [{ value: 'NO', description: 'norway' }, { value: 'SE' }];

  expect(addValues('NO\tNorway\nDK', existingValues)).toEqual([
    { value: 'NO', description: 'Norway' },
    { value: 'SE' },
    { value: 'DK' },
  ]);
});

test('keeps the description of a value that is pasted without a description', () => {
  expect(addValues('NO', [{ value: 'NO', description: 'Norway' }])).toEqual([
    { value: 'NO', description: 'Norway' },
  ]);
});
