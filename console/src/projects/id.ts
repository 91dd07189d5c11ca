const RESERVED_IDS = ['.', '..', '*', 'archive', 'revive'];
const MAX_LENGTH = 100;

/** Suggests an id for a name, until the user types a different id. For example, "Mobile apps" becomes mobile-apps. */
export const suggestId = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LENGTH);

/**
 * Returns why the server would reject an id, or undefined for a valid id. `takenIds` are the ids of the projects that the user
 * can read.
 */
export function findIdProblem(id: string, takenIds: readonly string[]): string | undefined {
  if (id === '') return undefined;
  const invalidCharacter = /[^A-Za-z0-9_.!~*'()-]/u.exec(id)?.[0];
  if (invalidCharacter !== undefined)
    return `An id must not contain ${invalidCharacter === ' ' ? 'spaces' : `"${invalidCharacter}"`}. Use letters, digits and - _ . ! ~ * ' ( ).`;
  if (RESERVED_IDS.includes(id)) return `"${id}" is reserved. Choose a different id.`;
  if (takenIds.includes(id)) return `Project "${id}" already exists. Choose a different id.`;
  return undefined;
}
