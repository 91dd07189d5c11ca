/** Returns whether a name follows the project's rule. If this browser cannot compile the pattern, the server decides. */
export function followsRule(pattern: string | undefined, name: string): boolean {
  if (!pattern || name === '') return true;
  return compileRule(pattern)?.test(name) ?? true;
}

/** Returns the regular expression that whole names must match, or undefined if this browser cannot compile the pattern. */
export function compileRule(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch {
    return undefined;
  }
}

/** The start of a group such as (?i) or (?P<name>…), or of quoted text. RE2 accepts some that browsers reject. */
const RE2_SYNTAX = /\(\?|\\Q/;

/** Returns why the server would reject a pattern, or undefined if the pattern is valid or only the server can tell. */
export const findPatternProblem = (pattern: string): string | undefined =>
  compileRule(pattern) === undefined && !RE2_SYNTAX.test(pattern)
    ? 'Not a valid regular expression.'
    : undefined;
