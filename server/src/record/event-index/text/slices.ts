import { isWordCode } from './split.ts';

/**
 * Cuts the codes of a text into slices of at most `size` codes. A slice ends with a whole word. The next one begins with the separator
 * before this word, so every two adjacent words, with the separators around them, are in one slice. Ends with undefined where a word
 * or a separator is too long to be in a slice.
 */
export function* slicesOf(codes: Uint16Array, size: number): Generator<Uint16Array | undefined> {
  const isWordAt = (at: number): boolean => isWordCode(codes[at] ?? 0);
  let from = 0;
  while (codes.length - from > size) {
    let end = from + size;
    while (end > from && !(isWordAt(end - 1) && !isWordAt(end))) end--;
    let next = end;
    while (next > from && isWordAt(next - 1)) next--;
    while (next > from && !isWordAt(next - 1)) next--;
    if (next === from) {
      yield undefined;
      return;
    }
    yield codes.subarray(from, end);
    from = next;
  }
  yield codes.subarray(from);
}
