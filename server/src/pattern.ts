import { RE2JS } from 're2js';

/**
 * RE2 runs in linear time but compiles a repetition by writing it out: 248 characters repeated {1000} times took up to
 * 390 ms. What would be written out is bounded before it is compiled.
 */
const MAX_WRITTEN_OUT = 50_000;

/** A regular expression from a user, or undefined if it is not one we run. */
export function compilePattern(text: string): RE2JS | undefined {
  const counts = [...text.matchAll(/\{(\d*),?(\d*)\}/g)].map(([, low, high]) =>
    Math.max(Number(low), Number(high), 1),
  );
  if (text.length * Math.max(1, ...counts) > MAX_WRITTEN_OUT) return undefined;
  try {
    return RE2JS.compile(text);
  } catch {
    return undefined;
  }
}
