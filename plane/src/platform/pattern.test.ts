import { expect, test } from 'vitest';
import { compilePattern } from './pattern.ts';

test.each(['pay\\..+', '[a-z]{1,100}', '(a|b){2}', 'x{0}', '\\{1000\\}'])('accepts %s', text => {
  expect(compilePattern(text)).toBeDefined();
});

test.each(['(', '(?<=a)b', 'a{2000}', `(${'a?'.repeat(120)}){1000}`, 'a{1000}'.repeat(30)])(
  'rejects %s',
  text => {
    expect(compilePattern(text)).toBeUndefined();
  },
);
