import { expect, test } from 'vitest';
import { findMissingParameters } from './draft.ts';
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
  [{}, ['Enter the parameter “url”.']],
  [{ url: ' ' }, ['Enter the parameter “url”.']],
  [{ url: 'https://example.com' }, []],
])('names the required parameters that %j lacks', (parameters, problems) => {
  const provider = { parameters: [parameter('url', true), parameter('method', false)] };

  expect(findMissingParameters(provider, { parameters })).toEqual(problems);
});
