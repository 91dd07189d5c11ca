import { expect, test } from 'vitest';
import { buildPlaygroundRequest, readForm, toSearch } from './form.ts';

const SEARCH = {
  project: 'payments',
  environment: ['development', 'production'],
  feature: '',
  userId: '7',
  property: ['country:NO', 'url:https://example.com'],
};

test('turns a form that was read from a URL back into the same URL', () => {
  expect(toSearch(readForm(SEARCH))).toEqual(SEARCH);
});

test('accepts a colon in the value of a property', () => {
  expect(readForm(SEARCH).properties[1]).toEqual({ name: 'url', value: 'https://example.com' });
});

test('reads a single property as a list', () => {
  expect(readForm({ property: 'country:NO' }).properties).toEqual([{ name: 'country', value: 'NO' }]);
});

test('omits empty fields from the request', () => {
  const form = readForm({ ...SEARCH, userId: '', property: [':NO', 'country:NO'] });

  expect(buildPlaygroundRequest(form)).toEqual({
    environments: ['development', 'production'],
    projects: ['payments'],
    contexts: [{ properties: { country: 'NO' } }],
  });
});

test('turns a table in the URL into a list of contexts', () => {
  const search = {
    environment: ['production'],
    project: '',
    feature: 'checkout',
    csv: 'userId,country\n7,NO\n8,',
  };

  expect(toSearch(readForm(search))).toEqual(search);
  expect(buildPlaygroundRequest(readForm(search))).toEqual({
    environments: ['production'],
    features: ['checkout'],
    contexts: [{ userId: '7', properties: { country: 'NO' } }, { userId: '8' }],
  });
});

test('builds no request for a form without an environment or with an invalid table', () => {
  expect(buildPlaygroundRequest(readForm({}))).toBeUndefined();
  expect(buildPlaygroundRequest(readForm({ environment: 'production', csv: 'userId' }))).toBeUndefined();
});
