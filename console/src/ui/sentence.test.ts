import { expect, test } from 'vitest';
import { findLinkTarget, getPartText, getSentenceParts, parseSummary } from './sentence.ts';

test('splits a summary into bold and plain parts', () => {
  expect(parseSummary('**dora** enabled flag **checkout** in **production**')).toEqual([
    { text: 'dora', strong: true },
    { text: ' enabled flag ' },
    { text: 'checkout', strong: true },
    { text: ' in ' },
    { text: 'production', strong: true },
  ]);
});

test('unescapes names, and keeps asterisks that are part of a name', () => {
  expect(parseSummary(String.raw`**a\_b\*\*c** created **\\**`)).toEqual([
    { text: 'a_b**c', strong: true },
    { text: ' created ' },
    { text: '\\', strong: true },
  ]);
});

test("links to the event's flag", () => {
  const event = {
    summary: '**dora** enabled flag **pay.now**',
    featureName: 'pay.now',
    project: 'pay',
    createdBy: 'dora',
  };

  expect(getSentenceParts(event).at(-1)).toEqual({
    text: 'pay.now',
    strong: true,
    ref: { kind: 'feature', id: 'pay.now', project: 'pay' },
  });
});

test('prefers the parts that the server sends', () => {
  const parts = [{ text: 'x' }];

  expect(getSentenceParts({ summary: 'y', parts, featureName: null, project: null, createdBy: 'ada' })).toBe(
    parts,
  );
});

test('encodes names in links, and links only to pages that the user may open', () => {
  const mayOpenAll = () => true;
  expect(findLinkTarget({ kind: 'feature', id: 'a/b', project: 'p q' }, mayOpenAll)).toEqual({
    to: '/projects/p%20q/features/a%2Fb',
  });
  expect(findLinkTarget({ kind: 'user', id: '7' }, mayOpenAll)).toEqual({
    to: '/admin/users',
    search: { user: '7' },
  });
  expect(findLinkTarget({ kind: 'user', id: '7' }, path => path !== '/admin/users')).toBeUndefined();
  expect(findLinkTarget({ kind: 'segment', id: '7' }, path => path === '/admin/segments')).toEqual({
    to: '/admin/segments/7',
  });
  expect(findLinkTarget({ kind: 'environment', id: '$&' }, mayOpenAll)).toEqual({
    to: '/admin/environments',
    search: { edit: 'environment:$&' },
  });
  expect(findLinkTarget({ kind: 'unknown', id: '7' }, mayOpenAll)).toBeUndefined();
});

test('shows the label of a built-in strategy type instead of its name, and the name of a custom type', () => {
  const show = (text: string) => getPartText({ text, strong: true, ref: { kind: 'strategy', id: text } });

  expect(show('flexibleRollout')).toBe('Gradual rollout');
  expect(show('weekdays')).toBe('weekdays');
  expect(getPartText({ text: 'flexibleRollout', strong: true })).toBe('flexibleRollout');
});
