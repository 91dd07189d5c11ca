import { formatCount } from './words.ts';

/** Returns the problem of a form whose only required field is the name. */
export const findNameProblems = (name: string): string[] => (name.trim() === '' ? ['Enter a name.'] : []);

/** Returns the first problem of a form, and how many others there are. */
export function describeProblems([first, ...others]: readonly string[]): string {
  if (first === undefined) return '';
  return others.length === 0 ? first : `${first} ${formatCount(others.length, 'more problem')}.`;
}
