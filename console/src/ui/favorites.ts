/** Returns whether an event is about a user's favorites, so that it does not change the flag or the project. */
export const isFavoriteType = (type: string): boolean => type.endsWith('favorited');
