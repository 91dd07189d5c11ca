// Stores preferences in this browser. Components read them when they mount.

const DENSITY = 'halyard-density';
const TIME_ZONE = 'halyard-time-zone';

export type Density = 'comfortable' | 'compact';

export const readDensity = (): Density =>
  localStorage.getItem(DENSITY) === 'compact' ? 'compact' : 'comfortable';

export const setDensity = (next: Density): void => localStorage.setItem(DENSITY, next);

/** Returns the height of a row with one line. */
export const readRowHeight = (): number => (readDensity() === 'compact' ? 36 : 44);

const PROJECT = 'halyard-project';

/** Reads the id of the project that this browser showed last. */
export const readLastProject = (): string | undefined => localStorage.getItem(PROJECT) ?? undefined;

export const rememberProject = (id: string): void => localStorage.setItem(PROJECT, id);

let cachedZone: string | null | undefined;

/** Reads the chosen time zone, or undefined for the browser's time zone. */
export function readTimeZone(): string | undefined {
  if (cachedZone === undefined) {
    const storedName = typeof localStorage === 'undefined' ? null : localStorage.getItem(TIME_ZONE);
    cachedZone = storedName !== null && isTimeZone(storedName) ? storedName : null;
  }
  return cachedZone ?? undefined;
}

export function setTimeZone(next: string | undefined): void {
  cachedZone = next ?? null;
  if (next === undefined) localStorage.removeItem(TIME_ZONE);
  else localStorage.setItem(TIME_ZONE, next);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
