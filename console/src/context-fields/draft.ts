import type { ContextField, LegalValue } from './queries.ts';

/** An empty project means all projects. */
export type Draft = {
  name: string;
  project: string;
  description: string;
  stickiness: boolean;
  legalValues: LegalValue[];
};

export const emptyDraft: Draft = {
  name: '',
  project: '',
  description: '',
  stickiness: false,
  legalValues: [],
};

export const toDraft = ({ name, project, description, stickiness, legalValues }: ContextField): Draft => ({
  name,
  project: project ?? '',
  description: description ?? '',
  stickiness,
  legalValues,
});

export const toBody = ({ description, stickiness, legalValues }: Draft) => ({
  description: description.trim() || null,
  stickiness,
  legalValues,
});

export const MAX_VALUES = 1000;

/**
 * Adds the values of a pasted list. Each line holds a value and, after a tab, a comma or a semicolon, its description. In a single
 * line without tabs, commas and semicolons separate values. An existing value keeps its position and gets the new description.
 */
export function addValues(text: string, existingValues: readonly LegalValue[]): LegalValue[] {
  const lines = text.split(/[\n\r]+/).filter(line => line.trim() !== '');
  const pastedValues =
    lines.length > 1 || /\t/.test(text) ? lines.map(parseLine) : text.split(/[,;]/).map(parseValue);
  const values = new Map(existingValues.map(existing => [existing.value, existing]));
  for (const pasted of pastedValues)
    if (pasted.value !== '') values.set(pasted.value, { ...values.get(pasted.value), ...pasted });
  return [...values.values()];
}

const parseValue = (text: string): LegalValue => ({ value: text.trim() });

function parseLine(line: string): LegalValue {
  const [, value = '', description = ''] = /^([^\t,;]*)(?:[\t,;](.*))?$/.exec(line) ?? [];
  return { value: value.trim(), ...(description.trim() && { description: description.trim() }) };
}
