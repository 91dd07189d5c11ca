import fc from 'fast-check';
import { expect, test } from 'vitest';
import { constraintValueProblem, contextNameProblem, parameterViolations } from './violations.ts';

/** Strings composed of characters that matter in a rule. */
const strings = fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', '\n', 'a', 'é', '😀') });

const escapeQuotes = (text: string) => text.replaceAll('"', '\\"');

/** Two ways to read a string of a rule: only a quote can be escaped, or every character can. */
const READINGS = [(two: string) => two === '\\"', (two: string) => two.startsWith('\\')];

/** The end of the string that starts with the quote at `start`. */
function endOf(rule: string, start: number, isEscaped: (two: string) => boolean): number {
  let at = start + 1;
  while (at < rule.length && rule[at] !== '"') at += isEscaped(rule.slice(at, at + 2)) ? 2 : 1;
  return at;
}

/** Whether every reading finds the end of a string, followed by another string. */
const isReadable = (written: string): boolean =>
  READINGS.every(isEscaped => endOf(`"${written}", "next"`, 0, isEscaped) === written.length + 1);

/** A backslash before a quote is rejected even where an even number of them would be readable, which keeps the rule simple. */
const isReadableEscaped = (text: string): boolean => !text.includes('\\"') && isReadable(escapeQuotes(text));
const isReadableVerbatim = (text: string): boolean => !text.includes('"') && isReadable(text);

test('accepts a value of a constraint exactly if every reading of a rule finds its end', () => {
  fc.assert(
    fc.property(strings, text => {
      const value = text.trim();
      expect(constraintValueProblem(value) === undefined).toBe(isReadableEscaped(value));
    }),
  );
});

test('accepts the name of a context field exactly if it has no quote and every reading of a rule finds its end', () => {
  fc.assert(
    fc.property(strings, text => {
      const name = text.trim();
      expect(contextNameProblem(name) === undefined).toBe(isReadableVerbatim(name));
    }),
  );
});

test.each([
  ['remoteAddress', 'IPs', isReadableVerbatim],
  ['applicationHostname', 'hostNames', isReadableVerbatim],
  ['userWithId', 'userIds', isReadableEscaped],
] as const)('%s accepts exactly the lists whose entries are all readable', (name, parameter, isEntry) => {
  fc.assert(
    fc.property(strings, text => {
      const entries = text.split(',').map(entry => entry.trim());
      const isAccepted = parameterViolations({ name, parameters: { [parameter]: text } }, '').length === 0;
      expect(isAccepted).toBe(entries.every(isEntry));
    }),
  );
});

test('names the string, what is wrong with it, and why', () => {
  const why = 'SDKs for Java, .NET, Python, Ruby and Rust cannot read such a string and disable the flag';
  expect(constraintValueProblem('C:\\')).toBe(`"C:\\" must not end with \\: ${why}`);
  expect(constraintValueProblem('a\\"b')).toBe(`"a\\"b" must not contain \\": ${why}`);
  expect(contextNameProblem('a"b')).toBe(`"a"b" must not contain ": ${why}`);
  expect(parameterViolations({ name: 'remoteAddress', parameters: { IPs: '::1\\, ::2' } }, '/body')).toEqual([
    {
      message: `IPs "::1\\, ::2" must not end with \\ before a comma or at its end: ${why}`,
      path: '/body/parameters/IPs',
    },
  ]);
  expect(contextNameProblem(`${'x'.repeat(200)}"`)).toContain(`"${'x'.repeat(100)}…" must not`);
});

test('accepts quotes and backslashes that every SDK reads', () => {
  for (const value of ['say "hi"', 'C:\\temp', '"', '\\d+', '[\\\\]'])
    expect(constraintValueProblem(value)).toBeUndefined();
});

test('accepts any parameter of a different strategy type', () => {
  expect(parameterViolations({ name: 'mine', parameters: { groupId: '"', IPs: '\\' } }, '')).toEqual([]);
});
