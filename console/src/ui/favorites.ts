/** Whether an event is about the favorites of a user. It does not change the flag or the project. */
export const isFavoriteType = (type: string): boolean => type.endsWith('favorited');
