export type RecentChoice = { to: string; label: string };

const STORAGE_KEY = 'halyard-recent';
const MAX_RECENT = 5;

/** Reads the most recent choices in the command palette. They are stored only in this browser. */
export function readRecentChoices(): RecentChoice[] {
  try {
    const storedChoices: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(storedChoices)
      ? storedChoices.filter(choice => typeof choice?.to === 'string' && typeof choice?.label === 'string')
      : [];
  } catch {
    return [];
  }
}

export function rememberChoice(choice: RecentChoice): void {
  const otherChoices = readRecentChoices().filter(({ to }) => to !== choice.to);
  localStorage.setItem(STORAGE_KEY, JSON.stringify([choice, ...otherChoices].slice(0, MAX_RECENT)));
}
