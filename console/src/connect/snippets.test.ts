import { expect, test } from 'vitest';
import { buildSnippets, type SnippetOptions, splitProgram } from './snippets.ts';

const OPTIONS: SnippetOptions = {
  url: 'https://flags.example.com',
  secret: 'payments:production.s3cret',
  type: 'backend',
  appName: 'shop',
  flag: 'new-checkout',
};

const programText = (name: string, options = OPTIONS) =>
  buildSnippets(options).find(snippet => snippet.name === name)?.text;

test('offers only programs that can use a token of the given type', () => {
  const programsFor = (type: SnippetOptions['type']) =>
    buildSnippets({ ...OPTIONS, type }).flatMap(({ name, text }) => (text === undefined ? [] : [name]));

  expect(programsFor('backend')).toEqual(['Node', 'OpenFeature', 'curl']);
  expect(programsFor('frontend')).toEqual(['Browser', 'React', 'OpenFeature', 'curl']);
});

test('inserts the URL, the token, the application and the flag into the program', () => {
  const text = programText('Node');

  for (const part of ["'https://flags.example.com/api/'", "'payments:production.s3cret'", "'shop'"])
    expect(text).toContain(part);
  expect(text).toContain("isEnabled('new-checkout'");
});

test('starts the Node SDK without waiting for the server', () => {
  expect(programText('Node')).toContain('initialize(');
  expect(programText('Node')).toContain("flags.on('error'");
  expect(programText('Node')).not.toContain('startUnleash');
});

test('keeps the Node program running, and reports metrics more often only in a trial', () => {
  expect(programText('Node')).toContain('setInterval(');
  expect(programText('Node')).not.toContain('metricsInterval');
  expect(programText('Node', { ...OPTIONS, isTrial: true })).toContain('metricsInterval: 10_000,');
});

test('quotes strings for JavaScript and for the shell', () => {
  expect(programText('Node', { ...OPTIONS, appName: `Ada's \\ shop` })).toContain(`'Ada\\'s \\\\ shop'`);
  expect(programText('curl', { ...OPTIONS, secret: `it's` })).toContain(`'Authorization: it'\\''s'`);
});

test('splits a program into colored pieces without losing any of its text', () => {
  const program = programText('Node') ?? '';

  const pieces = splitProgram(program);

  expect(pieces.map(({ text }) => text).join('')).toBe(program);
  expect(pieces).toContainEqual({ text: '// npm install unleash-client', kind: 'comment' });
  expect(pieces).toContainEqual({ text: 'import', kind: 'keyword' });
  expect(pieces).toContainEqual({ text: 'url', kind: 'property' });
  expect(pieces).toContainEqual({ text: "'payments:production.s3cret'", kind: 'string' });
});
