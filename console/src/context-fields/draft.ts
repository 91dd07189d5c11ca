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

export const draftOf = ({ name, project, description, stickiness, legalValues }: ContextField): Draft => ({
  name,
  project: project ?? '',
  description: description ?? '',
  stickiness,
  legalValues,
});

export const bodyOf = ({ description, stickiness, legalValues }: Draft) => ({
  description: description.trim() || null,
  stickiness,
  legalValues,
});

export const MAX_VALUES = 1000;

/**
 * A pasted list becomes values: one in a line, with its description after a tab, a comma or a semicolon. Without line
 * breaks, commas separate values. A value that the field has already keeps its place and gets the new description.
 */
export function addValues(text: string, before: readonly LegalValue[]): LegalValue[] {
  const lines = text.split(/[\n\r]+/).filter(line => line.trim() !== '');
  const pasted = lines.length > 1 || /\t/.test(text) ? lines.map(described) : text.split(/[,;]/).map(plain);
  const values = new Map(before.map(one => [one.value, one]));
  for (const one of pasted) if (one.value !== '') values.set(one.value, { ...values.get(one.value), ...one });
  return [...values.values()];
}

const plain = (text: string): LegalValue => ({ value: text.trim() });

function described(line: string): LegalValue {
  const [, value = '', description = ''] = /^([^\t,;]*)(?:[\t,;](.*))?$/.exec(line) ?? [];
  return { value: value.trim(), ...(description.trim() && { description: description.trim() }) };
}
