/** Returns whether events of this type are about a user's favorites rather than a change to the flag or project. */
export const isFavoriteType = (type: string): boolean => type.endsWith('favorited');
