const RESERVED = ['.', '..', '*', 'archive', 'revive'];
const MAX_LENGTH = 100;

/** The id that the panel suggests for a name, until the user types a different one: "Mobile apps" becomes mobile-apps. */
export const suggestId = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);

/** Why the server would reject the id; undefined for a valid id. `taken` are the ids that the user can read. */
export function problemOf(id: string, taken: readonly string[]): string | undefined {
  if (id === '') return undefined;
  const wrong = /[^A-Za-z0-9_.!~*'()-]/u.exec(id)?.[0];
  if (wrong !== undefined)
    return `An id must not contain ${wrong === ' ' ? 'spaces' : `"${wrong}"`}. Use letters, digits and - _ . ! ~ * ' ( ).`;
  if (RESERVED.includes(id)) return `"${id}" is reserved. Choose a different id.`;
  if (taken.includes(id)) return `Project "${id}" already exists. Choose a different id.`;
  return undefined;
}
