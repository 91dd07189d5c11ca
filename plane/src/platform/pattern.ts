import { RE2JS } from 're2js';

/**
 * RE2 runs in linear time but compiles a repetition by writing it out: 248 characters repeated {1000} times took up to
 * 390 ms. The expanded size is limited before compilation: at most 15 ms.
 */
const MAX_WRITTEN_OUT = 20_000;

/** A regular expression from a user, or undefined if it is not one we run. */
export function compilePattern(text: string, { ignoreCase = false } = {}): RE2JS | undefined {
  if (writtenOut(text) > MAX_WRITTEN_OUT) return undefined;
  try {
    return RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}

/** Characters of a pattern whose longest repetition is written out: what compiling it costs. */
export function writtenOut(text: string): number {
  const counts = [...text.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, low, high]) =>
    Math.max(Number(low), Number(high), 1),
  );
  return text.length * Math.max(1, ...counts);
}
