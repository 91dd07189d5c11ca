import { formatCount } from './words.ts';

/** Returns the first problem of a form, and how many others there are. */
export function describeProblems([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return others.length === 0 ? first : `${first} ${formatCount(others.length, 'more problem')}.`;
}
