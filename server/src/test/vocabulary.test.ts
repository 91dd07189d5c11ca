import { expect, test } from 'vitest';
import { checkText } from '../../../scripts/vocabulary/check.ts';

const found = (path: string, source: string): string[] =>
  checkText(path, source).map(finding => `${finding.line}: ${finding.found}`);

test.each([
  ['a page', 'docs/x.md', 'Fine.\n\nThe request is refused.', ['3: refused']],
  ['a table', 'docs/x.md', '| a | b |\n| - | - |\n| x | a mistake |', ['3: mistake']],
  ['a phrase over two lines', 'docs/x.md', 'It is tried\nagain.', ['1: tried again']],
  ['a comment', 'x.ts', 'const a = 1;\n// Made anew.', ['2: anew']],
  ['a doc comment', 'x.ts', '/**\n * One.\n * Made\n * anew.\n */', ['4: anew']],
  ['a message', 'x.ts', "throw new Error('It was refused.');", ['1: refused']],
  [
    'a template',
    'x.ts',
    `const a = \`\${b ? \`refused\` : \`no\`} has 2 mistakes\`;`,
    ['1: refused', '1: mistakes'],
  ],
  ['a test name', 'x.test.ts', "test('the switch is off', () => {});", ['1: switch']],
  ['a string after a regular expression', 'x.ts', "a.replace(/'/g, 'refused')", ['1: refused']],
  ['a comment in SQL', 'x.sql', 'select 1; -- whoever asks', ['1: whoever']],
  ['a comment in an SQL tag', 'x.ts', 'sql<{ a: string }>`select 1 -- whoever asks\n`', ['1: whoever']],
  ['a script', 'scripts/x', '# Mend it', ['1: Mend']],
  ['a plural in parentheses', 'docs/x.md', 'It made 2 attempt(s).', ['1: attempt(s)']],
  ['the start of a sentence', 'docs/x.md', 'One.\nWhat is given is kept.', ['2: . What']],
])('the vocabulary check finds a banned word in %s', (_case, path, source, expected) => {
  expect(found(path, source)).toEqual(expected);
});

test.each([
  ['a code block', 'docs/x.md', '```\nrefused\n```'],
  ['code in a sentence', 'docs/x.md', 'The word `refused` is banned.'],
  ['an address', 'docs/x.md', 'See [this](refused.md).'],
  ['a question', 'docs/x.md', 'What is a flag?'],
  ['a heading', 'docs/x.md', '## What works today'],
  ['a name in code', 'x.ts', 'switch (refused) { default: }'],
  ['a module path', 'x.ts', "import { a } from './refused.ts';"],
  ['a name in SQL', 'x.ts', 'sql`select refused from t`'],
  ["PostgreSQL's words", 'docs/x.md', 'The log says: connection refused.'],
])('the vocabulary check ignores %s', (_case, path, source) => {
  expect(found(path, source)).toEqual([]);
});

test('an exception allows the words in one text of one file', () => {
  const exception = { path: 'x.md', text: 'Old switch', reason: 'a name' };

  expect(checkText('x.md', 'Old switch. New switch.', [exception])).toHaveLength(1);
  expect(checkText('y.md', 'Old switch.', [exception])).toHaveLength(1);
});

test('a finding says what to use instead', () => {
  expect(checkText('x.md', 'Made anew.')).toEqual([
    { path: 'x.md', line: 1, found: 'anew', instead: 'again' },
  ]);
});
