/**
 * Picks random integers from 0 to below the given number. The same seed picks the same numbers, so that a difference can be
 * reproduced.
 */
export function makePicker(seed: number): (below: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
