import { expect, test } from 'vitest';
import { baseAfterSave, type Edited, rebase, restore } from './versions.ts';

type Draft = { title: string; rollout: number };
const first: Draft = { title: '', rollout: 50 };
const mine: Draft = { title: 'Mine', rollout: 50 };
const edited: Edited<Draft> = { base: { draft: first, etag: '"1"' }, draft: mine, sent: [] };

test('restores input on the version that it is based on', () => {
  expect(restore(edited, { draft: first, etag: '"1"' })).toEqual({ edited });
});

test('restores nothing without stored input', () => {
  expect(restore(undefined, { draft: first, etag: '"1"' })).toEqual({});
});

test('drops input that is saved', () => {
  expect(restore({ ...edited, sent: [mine] }, { draft: mine, etag: '"2"' })).toEqual({});
});

test('continues on an earlier save of the same user', () => {
  const later: Edited<Draft> = { ...edited, draft: { title: 'Mine', rollout: 60 }, sent: [mine] };
  const current = { draft: mine, etag: '"2"' };

  expect(restore(later, current)).toEqual({ edited: { ...later, base: current } });
});

test('continues on a version that differs only elsewhere', () => {
  const current = { draft: first, etag: '"2"' };

  expect(restore(edited, current)).toEqual({ edited: { ...edited, base: current } });
});

test('is a conflict if somebody else changed the same thing', () => {
  const current = { draft: { title: 'Theirs', rollout: 50 }, etag: '"2"' };

  expect(restore({ ...edited, sent: [mine] }, current)).toEqual({
    edited: { ...edited, sent: [mine] },
    theirs: current,
  });
  expect(rebase(edited, current)).toBeUndefined();
});

test('gives stored input the fields that a newer console added', () => {
  const old = { ...edited, draft: { title: 'Mine' } } as Edited<Draft>;

  expect(restore(old, { draft: first, etag: '"1"' }).edited?.draft).toEqual(mine);
});

test('input after a save is based on what was saved, even if somebody else changed it before the next read', () => {
  const elsewhere = { draft: mine, etag: '"2"' };
  const theirs = { draft: { ...mine, rollout: 60 }, etag: '"3"' };
  const reverted = { draft: first, etag: '"1"' };

  expect(baseAfterSave(mine, elsewhere)).toEqual(elsewhere);
  for (const now of [theirs, reverted]) {
    const base = baseAfterSave(mine, now);

    expect(base.draft).toEqual(mine);
    expect(base.etag).not.toBe(now.etag);
    expect(rebase({ base, draft: { ...mine, title: 'Later' }, sent: [] }, now)).toBeUndefined();
  }
});

test('a secret that the server does not show is no change by somebody else', () => {
  const now = { draft: { ...mine, title: '****' }, etag: '"2"' };

  expect(baseAfterSave(mine, now, draft => ({ ...draft, title: '' }))).toEqual(now);
});
