import { expect, test } from 'vitest';
import { findChoices } from './value-choices.ts';

const norway = { value: 'NO', description: 'Norway' };
const sweden = { value: 'SE' };

test('finds choices by value and by description', () => {
  expect(findChoices([norway, sweden], '')).toEqual([norway, sweden]);
  expect(findChoices([norway, sweden], ' se ')).toEqual([sweden]);
  expect(findChoices([norway, sweden], 'way')).toEqual([norway]);
  expect(findChoices([norway, sweden], 'dk')).toEqual([]);
});
