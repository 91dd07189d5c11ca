import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SIZES = ['12px', '13px', '15px', '18px', '28px'];
const WEIGHTS = ['400', '550', '640'];
const FOLDER = import.meta.dirname;

test('styles use only the five sizes and three weights of the type scale', () => {
  const violations = globSync('**/*.css', { cwd: FOLDER })
    .filter(file => file !== 'mantine.gen.css')
    .flatMap(file => {
      // Font faces are ignored, because they declare the weights that a font file has.
      const text = readFileSync(join(FOLDER, file), 'utf8').replace(/@font-face \{[^}]*\}/g, '');
      const sizes = [...text.matchAll(/font(?:-size)?:[^;]*?([\d.]+(?:px|r?em))/g)].map(
        ([, size = '']) => size,
      );
      const weights = [...text.matchAll(/font(?:-weight)?: (\d{3})\b/g)].map(([, weight = '']) => weight);
      return [
        ...sizes.filter(size => !SIZES.includes(size)),
        ...weights.filter(weight => !WEIGHTS.includes(weight)),
      ].map(value => `${file}: ${value}`);
    });

  expect(violations).toEqual([]);
});
