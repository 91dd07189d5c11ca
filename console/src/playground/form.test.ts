import { expect, test } from 'vitest';
import { formOf, requestOf, searchOf } from './form.ts';

const SEARCH = {
  project: 'payments',
  environment: ['development', 'production'],
  feature: '',
  userId: '7',
  property: ['country:NO', 'url:https://example.com'],
};

test('a form read from a URL produces the same URL', () => {
  expect(searchOf(formOf(SEARCH))).toEqual(SEARCH);
});

test('a value can contain a colon', () => {
  expect(formOf(SEARCH).properties[1]).toEqual({ name: 'url', value: 'https://example.com' });
});

test('a single property is a list too', () => {
  expect(formOf({ property: 'country:NO' }).properties).toEqual([{ name: 'country', value: 'NO' }]);
});

test('the request has no empty fields', () => {
  const form = formOf({ ...SEARCH, userId: '', property: [':NO', 'country:NO'] });

  expect(requestOf(form)).toEqual({
    environments: ['development', 'production'],
    projects: ['payments'],
    contexts: [{ properties: { country: 'NO' } }],
  });
});

test('a table in the URL is a list of contexts', () => {
  const search = {
    environment: ['production'],
    project: '',
    feature: 'checkout',
    csv: 'userId,country\n7,NO\n8,',
  };

  expect(searchOf(formOf(search))).toEqual(search);
  expect(requestOf(formOf(search))).toEqual({
    environments: ['production'],
    features: ['checkout'],
    contexts: [{ userId: '7', properties: { country: 'NO' } }, { userId: '8' }],
  });
});

test('a form without an environment, or with an invalid table, is not sent', () => {
  expect(requestOf(formOf({}))).toBeUndefined();
  expect(requestOf(formOf({ environment: 'production', csv: 'userId' }))).toBeUndefined();
});
