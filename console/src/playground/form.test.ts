import { expect, test } from 'vitest';
import { formOf, instantOf, localTimeOf, requestOf, searchOf } from './form.ts';

const SEARCH = {
  project: 'payments',
  environment: 'production',
  feature: '',
  userId: '7',
  property: ['country:NO', 'url:https://example.com'],
};

test('the form of an address has the address again', () => {
  expect(searchOf(formOf(SEARCH))).toEqual(SEARCH);
});

test('a value can contain a colon', () => {
  expect(formOf(SEARCH).properties[1]).toEqual({ name: 'url', value: 'https://example.com' });
});

test('one property is a list too', () => {
  expect(formOf({ property: 'country:NO' }).properties).toEqual([{ name: 'country', value: 'NO' }]);
});

test('the request has no empty fields', () => {
  const form = formOf({ ...SEARCH, userId: '', property: [':NO', 'country:NO'] });

  expect(requestOf(form)).toEqual({
    environment: 'production',
    projects: ['payments'],
    context: { properties: { country: 'NO' } },
  });
});

test('writes a time in the time zone of the user, and back', () => {
  const local = localTimeOf('2026-11-15T09:30:00Z');

  expect(local).toMatch(/^2026-11-1\dT\d\d:\d\d$/);
  expect(instantOf(local)).toBe('2026-11-15T09:30:00.000Z');
  expect([localTimeOf('yesterday'), localTimeOf(undefined), instantOf('')]).toEqual(['', '', '']);
});
