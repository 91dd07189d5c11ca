import { ownerOfPage } from '../api/session.ts';

// Unsaved input in the storage of the tab. It survives a reload and a login, and is removed with the tab.

const PREFIX = 'halyard-draft:';
const MAX_DRAFTS = 20;
const MAX_LENGTH = 250_000;

type Stored = { at: number; input: unknown };

/** Drafts are separate for each user: the key has the id of the user whose page this is. */
const keyOf = (thing: string): string | undefined => {
  const id = ownerOfPage()?.user.id;
  return id === undefined ? undefined : `${PREFIX}${id}:${thing}`;
};

/** The stored input, or undefined. Only its author knows its type. */
export function readDraft<T>(thing: string): T | undefined {
  const key = keyOf(thing);
  if (key === undefined) return undefined;
  return parse(sessionStorage.getItem(key))?.input as T | undefined;
}

/** Stores input without secrets. A very large input is not stored. */
export function writeDraft(thing: string, input: unknown): void {
  const key = keyOf(thing);
  if (key === undefined) return;
  const text = JSON.stringify({ at: Date.now(), input } satisfies Stored);
  try {
    if (text.length <= MAX_LENGTH) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
    for (const old of draftKeys().slice(MAX_DRAFTS)) sessionStorage.removeItem(old);
  } catch {
    // The storage is full or disabled. The input stays on the page.
  }
}

export function removeDraft(thing: string): void {
  const key = keyOf(thing);
  if (key !== undefined) sessionStorage.removeItem(key);
}

/** Removes the input of other users of this tab. Without a user: all input. */
export function removeDraftsExceptOf(userId?: number): void {
  for (const key of draftKeys()) if (!key.startsWith(`${PREFIX}${userId}:`)) sessionStorage.removeItem(key);
}

/** The newest first. */
const draftKeys = (): string[] =>
  Object.keys(sessionStorage)
    .filter(key => key.startsWith(PREFIX))
    .map(key => ({ key, at: parse(sessionStorage.getItem(key))?.at ?? 0 }))
    .toSorted((one, other) => other.at - one.at)
    .map(({ key }) => key);

function parse(text: string | null): Stored | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Stored); // Written by writeDraft.
  } catch {
    return undefined;
  }
}
