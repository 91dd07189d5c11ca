import { expect, test } from 'vitest';
import { needsInlineSegments } from './client-spec.ts';

test.each([
  [undefined, true],
  ['', true],
  ['4.1.9', true],
  ['3.10.0', true],
  ['4.2.0-beta.1', true],
  ['4.2.0', false],
  ['4.2.0+build', false],
  ['4.2.1-beta.1', false],
  ['4.10.0', false],
  ['5.2.0', false],
  ['10.0.0', false],
])('client specification %s needs inline segments: %s', (header, inline) => {
  expect(needsInlineSegments(header)).toBe(inline);
});

test.each(['v5', ' ', '5', '5.2', 'undefined', '5.2.0.1', `5.2.0-${'x'.repeat(200)}`])(
  'rejects "%s"',
  header => {
    expect(() => needsInlineSegments(header)).toThrow(/must be a version like 5\.2\.0/);
  },
);
