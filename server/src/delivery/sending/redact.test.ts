import { expect, test } from 'vitest';
import { slackApp } from '../integrations/providers/slack-app.ts';
import { webhook } from '../integrations/providers/webhook.ts';
import { makeRedactor } from './redact.ts';

const redact = makeRedactor(
  webhook,
  {
    url: 'https://hooks.example.com/services/T0123/secret-path?token=secret-query',
    authorization: 'Bearer secret-bearer',
    customHeaders: JSON.stringify({ 'X-Key': 'secret "quoted" header' }),
  },
  ['v1,c2lnbmF0dXJl'],
);

test.each([
  [
    'the whole URL',
    'POST https://hooks.example.com/services/T0123/secret-path?token=secret-query',
    'POST *****',
  ],
  ['the path', 'No route /services/T0123/secret-path', 'No route *****'],
  ['a segment of the path', 'unknown hook secret-path', 'unknown hook *****'],
  ['a value of the query', 'invalid token secret-query.', 'invalid token *****.'],
  ['a header', 'authorization: Bearer secret-bearer', 'authorization: *****'],
  ['a token without its scheme', '{"token":"secret-bearer"}', '{"token":"*****"}'],
  ['a value in JSON', '{"x-key":"secret \\"quoted\\" header"}', '{"x-key":"*****"}'],
  ['a percent-encoded value', 'k=secret%20%22quoted%22%20header', 'k=*****'],
  ['a signature', 'bad signature v1,c2lnbmF0dXJl', 'bad signature *****'],
  ['a value that is cut off at the end', 'got secret-bea', 'got *****'],
  ['nothing else', 'The receiver has no such hook', 'The receiver has no such hook'],
])('masks %s', (_, text, expected) => {
  expect(redact(text)).toBe(expected);
});

test('keeps short strings that occur by chance', () => {
  expect(makeRedactor(slackApp, { accessToken: 'x' })('xoxo')).toBe('xoxo');
});
