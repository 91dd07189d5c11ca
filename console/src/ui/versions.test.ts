import { expect, test } from 'vitest';
import { baseAfterSave, type EditedDraft, rebase, rebaseOnNormalized, restore } from './versions.ts';

type Draft = { title: string; rollout: number };
const original: Draft = { title: '', rollout: 50 };
const mine: Draft = { title: 'Mine', rollout: 50 };
const edited: EditedDraft<Draft> = { base: { draft: original, etag: '"1"' }, draft: mine, sent: [] };

test('restores input unchanged if its base version is still current', () => {
  expect(restore(edited, { draft: original, etag: '"1"' })).toEqual({ edited });
});

test('restores nothing if no input is stored', () => {
  expect(restore(undefined, { draft: original, etag: '"1"' })).toEqual({});
});

test('drops input that the server has already stored', () => {
  expect(restore({ ...edited, sent: [mine] }, { draft: mine, etag: '"2"' })).toEqual({});
});

test('rebases input on an earlier save by the same user', () => {
  const laterInput: EditedDraft<Draft> = { ...edited, draft: { title: 'Mine', rollout: 60 }, sent: [mine] };
  const current = { draft: mine, etag: '"2"' };

  expect(restore(laterInput, current)).toEqual({ edited: { ...laterInput, base: current } });
});

test('rebases input on a version that differs only in other fields', () => {
  const current = { draft: original, etag: '"2"' };

  expect(restore(edited, current)).toEqual({ edited: { ...edited, base: current } });
});

test('reports a conflict if somebody else changed the same field', () => {
  const current = { draft: { title: 'Theirs', rollout: 50 }, etag: '"2"' };

  expect(restore({ ...edited, sent: [mine] }, current)).toEqual({
    edited: { ...edited, sent: [mine] },
    theirs: current,
  });
  expect(rebase(edited, current)).toBeUndefined();
});

test('adds fields that only a newer console has to stored input', () => {
  const oldInput = { ...edited, draft: { title: 'Mine' } } as EditedDraft<Draft>;

  expect(restore(oldInput, { draft: original, etag: '"1"' }).edited?.draft).toEqual(mine);
});

test('bases later input on the saved draft, even if somebody else replaced the draft before the next read', () => {
  const readBack = { draft: mine, etag: '"2"' };
  const theirs = { draft: { ...mine, rollout: 60 }, etag: '"3"' };
  const revertedVersion = { draft: original, etag: '"1"' };

  expect(baseAfterSave(mine, readBack)).toEqual(readBack);
  for (const newest of [theirs, revertedVersion]) {
    const base = baseAfterSave(mine, newest);

    expect(base.draft).toEqual(mine);
    expect(base.etag).not.toBe(newest.etag);
    expect(rebase({ base, draft: { ...mine, title: 'Later' }, sent: [] }, newest)).toBeUndefined();
  }
});

test('does not count a masked secret as a change by somebody else', () => {
  const newest = { draft: { ...mine, title: '****' }, etag: '"2"' };

  expect(baseAfterSave(mine, newest, draft => ({ ...draft, title: '' }))).toEqual(newest);
});

test('keeps input typed during a save, and takes normalized values for the other fields', () => {
  const savedDraft = { ...original, title: 'Mine ', note: ' a' };
  const newest = { draft: { ...original, title: 'Mine', note: 'a' }, etag: '"2"' };

  expect(rebaseOnNormalized({ ...savedDraft, title: 'Mine and' }, savedDraft, newest)).toEqual({
    base: newest,
    draft: { ...newest.draft, title: 'Mine and' },
    sent: [],
  });
});
