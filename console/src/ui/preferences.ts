// Preferences of this browser. Components read them when they appear.

const DENSITY = 'halyard-density';
const TIME_ZONE = 'halyard-time-zone';

export type Density = 'comfortable' | 'compact';

export const density = (): Density =>
  localStorage.getItem(DENSITY) === 'compact' ? 'compact' : 'comfortable';

export const setDensity = (next: Density): void => localStorage.setItem(DENSITY, next);

/** The height of a row with one line. */
export const rowHeight = (): number => (density() === 'compact' ? 36 : 44);

const PROJECT = 'halyard-project';

/** The project that this browser showed last. */
export const lastProject = (): string | undefined => localStorage.getItem(PROJECT) ?? undefined;

export const rememberProject = (id: string): void => localStorage.setItem(PROJECT, id);

let zone: string | null | undefined;

/** The chosen time zone. Undefined: the browser's time zone. */
export function timeZone(): string | undefined {
  if (zone === undefined) {
    const chosen = typeof localStorage === 'undefined' ? null : localStorage.getItem(TIME_ZONE);
    zone = chosen !== null && isTimeZone(chosen) ? chosen : null;
  }
  return zone ?? undefined;
}

export function setTimeZone(next: string | undefined): void {
  zone = next ?? null;
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
