import { expect, test } from 'vitest';
import { piecesOf, snippetsOf, type Target } from './snippets.ts';

const TARGET: Target = {
  url: 'https://flags.example.com',
  secret: 'payments:production.s3cret',
  type: 'backend',
  appName: 'shop',
  flag: 'new-checkout',
};

const textOf = (name: string, target = TARGET) => snippetsOf(target).find(one => one.name === name)?.text;

test('offers a program for each way to connect that the type of the token allows', () => {
  const offered = (type: Target['type']) =>
    snippetsOf({ ...TARGET, type }).flatMap(({ name, text }) => (text === undefined ? [] : [name]));

  expect(offered('backend')).toEqual(['Node', 'OpenFeature', 'curl']);
  expect(offered('frontend')).toEqual(['Browser', 'React', 'OpenFeature', 'curl']);
});

test('writes the URL, the token, the application and the flag into the programs', () => {
  const text = textOf('Node');

  for (const part of ["'https://flags.example.com/api/'", "'payments:production.s3cret'", "'shop'"])
    expect(text).toContain(part);
  expect(text).toContain("isEnabled('new-checkout'");
});

test('starts the Node SDK without waiting for the server, and listens for errors', () => {
  expect(textOf('Node')).toContain('initialize(');
  expect(textOf('Node')).toContain("flags.on('error'");
  expect(textOf('Node')).not.toContain('startUnleash');
});

test('keeps the Node program running, and reports soon to somebody who waits', () => {
  expect(textOf('Node')).toContain('setInterval(');
  expect(textOf('Node')).not.toContain('metricsInterval');
  expect(textOf('Node', { ...TARGET, isTrial: true })).toContain('metricsInterval: 10_000,');
});

test('quotes names for JavaScript and for the shell', () => {
  expect(textOf('Node', { ...TARGET, appName: `Ada's \\ shop` })).toContain(`'Ada\\'s \\\\ shop'`);
  expect(textOf('curl', { ...TARGET, secret: `it's` })).toContain(`'Authorization: it'\\''s'`);
});

test('colors a program without losing any of its text', () => {
  const program = textOf('Node') ?? '';

  const pieces = piecesOf(program);

  expect(pieces.map(({ text }) => text).join('')).toBe(program);
  expect(pieces).toContainEqual({ text: '// npm install unleash-client', as: 'comment' });
  expect(pieces).toContainEqual({ text: 'import', as: 'word' });
  expect(pieces).toContainEqual({ text: 'url', as: 'key' });
  expect(pieces).toContainEqual({ text: "'payments:production.s3cret'", as: 'text' });
});
