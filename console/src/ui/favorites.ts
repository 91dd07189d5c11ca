/** Returns whether events of this type are about a user's favorites, and so do not change the flag or the project. */
export const isFavoriteType = (type: string): boolean => type.endsWith('favorited');
