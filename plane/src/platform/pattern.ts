import { RE2JS } from 're2js';

/**
 * RE2 runs in linear time but compiles a repetition by expanding it, so 248 characters repeated {1000} times took up to
 * 390 ms. Limiting the expanded length keeps compilation below 15 ms.
 */
const MAX_EXPANDED_LENGTH = 20_000;

/** A regular expression from a user, or undefined if it is invalid or too expensive to run. */
export function compilePattern(text: string, { ignoreCase = false } = {}): RE2JS | undefined {
  if (expandedLength(text) > MAX_EXPANDED_LENGTH) return undefined;
  try {
    return RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}

/** The length of a pattern with its longest repetition expanded, which determines how long compiling takes. */
export function expandedLength(text: string): number {
  const counts = [...text.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, low, high]) =>
    Math.max(Number(low), Number(high), 1),
  );
  return text.length * Math.max(1, ...counts);
}
