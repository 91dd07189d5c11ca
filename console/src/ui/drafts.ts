import { readPageUser } from '../api/session.ts';

// Keeps unsaved input in the tab's storage, where it survives reloads and logins until the tab is closed.

const PREFIX = 'halyard-draft:';
const MAX_DRAFTS = 20;
const MAX_LENGTH = 250_000;

type StoredDraft = { at: number; input: unknown };

/** Returns the storage key. It contains the id of the logged-in user, so that each user has separate drafts. */
const getStorageKey = (draftKey: string): string | undefined => {
  const id = readPageUser()?.user.id;
  return id === undefined ? undefined : `${PREFIX}${id}:${draftKey}`;
};

/** Reads the stored input, if there is any. Only the code that stored the input knows its type. */
export function readDraft<T>(draftKey: string): T | undefined {
  const key = getStorageKey(draftKey);
  if (key === undefined) return undefined;
  return parse(sessionStorage.getItem(key))?.input as T | undefined;
}

/** Stores input, which must not contain secrets. Very large input is not stored. */
export function writeDraft(draftKey: string, input: unknown): void {
  const key = getStorageKey(draftKey);
  if (key === undefined) return;
  const text = JSON.stringify({ at: Date.now(), input } satisfies StoredDraft);
  try {
    if (text.length <= MAX_LENGTH) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
    for (const oldKey of draftKeys().slice(MAX_DRAFTS)) sessionStorage.removeItem(oldKey);
  } catch {
    // The storage is full or disabled. The input stays on the page.
  }
}

export function removeDraft(draftKey: string): void {
  const key = getStorageKey(draftKey);
  if (key !== undefined) sessionStorage.removeItem(key);
}

/** Removes the input that other users left in this tab, or all input if nobody is logged in. */
export function removeOtherUsersDrafts(userId?: number): void {
  for (const key of draftKeys()) if (!key.startsWith(`${PREFIX}${userId}:`)) sessionStorage.removeItem(key);
}

/** Lists the keys of the drafts, newest first. */
const draftKeys = (): string[] =>
  Object.keys(sessionStorage)
    .filter(key => key.startsWith(PREFIX))
    .map(key => ({ key, at: parse(sessionStorage.getItem(key))?.at ?? 0 }))
    .toSorted((a, b) => b.at - a.at)
    .map(({ key }) => key);

function parse(text: string | null): StoredDraft | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as StoredDraft); // Written by writeDraft.
  } catch {
    return undefined;
  }
}
