/** C0 and C1 controls, DEL, and the two line separators that a regular expression's dot does not match. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what the function finds
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export const hasControlCharacter = (text: string): boolean => CONTROL.test(text);

const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether a reader would see nothing, because the string has only whitespace, direction marks, joiners and the like. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text);

/** PostgreSQL stores neither NUL nor unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
