import { expect, test } from 'vitest';
import { lacksParameter } from './draft.ts';
import type { Provider } from './queries.ts';

const parameter = (name: string, required: boolean): Provider['parameters'][number] => ({
  name,
  displayName: name,
  description: '',
  placeholder: '',
  type: 'text',
  sensitive: false,
  required,
});

test.each([
  [{}, true],
  [{ url: ' ' }, true],
  [{ url: 'https://example.com' }, false],
])('finds out whether %j lacks a required parameter', (parameters, lacks) => {
  const provider = { parameters: [parameter('url', true), parameter('method', false)] };

  expect(lacksParameter(provider, { parameters })).toBe(lacks);
});
