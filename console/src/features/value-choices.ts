export type Choice = { value: string; description?: string };

/** Returns the choices whose value or description contains the string. */
export function findChoices(choices: readonly Choice[], text: string): Choice[] {
  const part = text.trim().toLowerCase();
  return choices.filter(({ value, description = '' }) =>
    `${value}\n${description}`.toLowerCase().includes(part),
  );
}
