/** Escapes %, _ and \, so that they match literally. */
export const likeText = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
