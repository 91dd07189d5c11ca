export type Recent = { to: string; label: string };

const KEY = 'halyard-recent';
const MAX_RECENT = 5;

/** The last choices in the command palette. Stored in this browser only. */
export function readRecent(): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored)
      ? stored.filter(one => typeof one?.to === 'string' && typeof one?.label === 'string')
      : [];
  } catch {
    return [];
  }
}

export function rememberRecent(chosen: Recent): void {
  const others = readRecent().filter(({ to }) => to !== chosen.to);
  localStorage.setItem(KEY, JSON.stringify([chosen, ...others].slice(0, MAX_RECENT)));
}
