/** What the caller types is text: %, _ and \ are ordinary characters. */
export const likeText = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
