const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Truncates to `length` UTF-16 units between characters, because half an emoji is not a valid string and PostgreSQL rejects it. */
export function truncate(text: string, length: number): string {
  return text.length > length ? text.slice(0, Math.max(0, length)).replace(HIGH_SURROGATE_AT_END, '') : text;
}

/** Like `truncate`, with an ellipsis in place of what is cut off. */
export const ellipsize = (text: string, length: number): string =>
  text.length > length ? `${truncate(text, length - 1)}…` : text;

/** PostgreSQL stores neither NUL nor unpaired surrogates. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();
