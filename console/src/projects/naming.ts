/** Returns whether a name follows the project's rule. If this browser cannot compile the pattern, the server decides. */
export function followsRule(pattern: string | undefined, name: string): boolean {
  if (!pattern || name === '') return true;
  try {
    return new RegExp(`^(?:${pattern})$`).test(name);
  } catch {
    return true;
  }
}
