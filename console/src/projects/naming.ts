/** Whether a name follows the rule of its project. A pattern that this browser cannot read is left to the server. */
export function followsRule(pattern: string | undefined, name: string): boolean {
  if (!pattern || name === '') return true;
  try {
    return new RegExp(`^(?:${pattern})$`).test(name);
  } catch {
    return true;
  }
}
