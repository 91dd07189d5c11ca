/**
 * Returns a function that generates random integers from 0 up to, but not including, a limit. The same seed always yields the same
 * integers, so that a difference can be reproduced.
 */
export function makeRandomInt(seed: number): (limit: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return limit => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
