import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findConstraintValueProblem, findContextNameProblem, findParameterViolations } from './violations.ts';

/** Strings composed of characters that matter in a rule. */
const strings = fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', '\n', 'a', 'é', '😀') });

const escapeQuotes = (text: string) => text.replaceAll('"', '\\"');

/** Two ways of reading a string in a rule: either only a quote can be escaped, or every character can be escaped. */
const IS_ESCAPED_VARIANTS = [(pair: string) => pair === '\\"', (pair: string) => pair.startsWith('\\')];

/** Finds the end of the string that starts with the quote at `start`. */
function findEnd(rule: string, start: number, isEscaped: (pair: string) => boolean): number {
  let index = start + 1;
  while (index < rule.length && rule[index] !== '"') index += isEscaped(rule.slice(index, index + 2)) ? 2 : 1;
  return index;
}

/** Returns whether every way of reading a rule finds the end of a string that is followed by another string. */
const isReadable = (text: string): boolean =>
  IS_ESCAPED_VARIANTS.every(isEscaped => findEnd(`"${text}", "next"`, 0, isEscaped) === text.length + 1);

/**
 * Returns whether a string is readable in escaped form. A backslash before a quote is rejected even where an even number of
 * backslashes would be readable, which keeps the rule simple.
 */
const isReadableEscaped = (text: string): boolean => !text.includes('\\"') && isReadable(escapeQuotes(text));
const isReadableVerbatim = (text: string): boolean => !text.includes('"') && isReadable(text);

test('accepts a constraint value if and only if it is readable in escaped form', () => {
  fc.assert(
    fc.property(strings, text => {
      const value = text.trim();
      expect(findConstraintValueProblem(value) === undefined).toBe(isReadableEscaped(value));
    }),
  );
});

test('accepts a context field name if and only if it is readable without escaping', () => {
  fc.assert(
    fc.property(strings, text => {
      const name = text.trim();
      expect(findContextNameProblem(name) === undefined).toBe(isReadableVerbatim(name));
    }),
  );
});

test.each([
  ['remoteAddress', 'IPs', isReadableVerbatim],
  ['applicationHostname', 'hostNames', isReadableVerbatim],
  ['userWithId', 'userIds', isReadableEscaped],
] as const)(
  '%s accepts a list if and only if all its entries are readable',
  (name, parameter, isReadableEntry) => {
    fc.assert(
      fc.property(strings, text => {
        const entries = text.split(',').map(entry => entry.trim());
        const isAccepted =
          findParameterViolations({ name, parameters: { [parameter]: text } }, '').length === 0;
        expect(isAccepted).toBe(entries.every(isReadableEntry));
      }),
    );
  },
);

test('names the invalid string and explains what is wrong with it', () => {
  const consequence =
    'SDKs for Java, .NET, Python, Ruby and Rust cannot read such a string and disable the flag';
  expect(findConstraintValueProblem('C:\\')).toBe(`"C:\\" must not end with \\: ${consequence}`);
  expect(findConstraintValueProblem('a\\"b')).toBe(`"a\\"b" must not contain \\": ${consequence}`);
  expect(findContextNameProblem('a"b')).toBe(`"a"b" must not contain ": ${consequence}`);
  expect(
    findParameterViolations({ name: 'remoteAddress', parameters: { IPs: '::1\\, ::2' } }, '/body'),
  ).toEqual([
    {
      message: `IPs "::1\\, ::2" must not contain \\ before a comma or at the end: ${consequence}`,
      path: '/body/parameters/IPs',
    },
  ]);
  expect(findContextNameProblem(`${'x'.repeat(200)}"`)).toContain(`"${'x'.repeat(100)}…" must not`);
});

test('accepts quotes and backslashes that every SDK reads', () => {
  for (const value of ['say "hi"', 'C:\\temp', '"', '\\d+', '[\\\\]'])
    expect(findConstraintValueProblem(value)).toBeUndefined();
});

test('accepts any parameter of a different strategy type', () => {
  expect(findParameterViolations({ name: 'mine', parameters: { groupId: '"', IPs: '\\' } }, '')).toEqual([]);
});
