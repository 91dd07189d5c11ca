import { findDisallowedValues } from '../features/draft.ts';
import type { Constraint, ContextField } from '../features/queries.ts';
import { findNameProblems } from '../ui/problems.ts';
import type { Segment, SegmentInput } from './queries.ts';

export type Draft = {
  name: string;
  description: string;
  /** Empty for all projects. */
  project: string;
  constraints: Constraint[];
};

export const emptyDraft: Draft = { name: '', description: '', project: '', constraints: [] };

export const toDraft = ({ name, description, project, constraints }: Segment): Draft => ({
  name,
  description: description ?? '',
  project: project ?? '',
  constraints,
});

export const toBody = ({ name, description, project, constraints }: Draft): SegmentInput => ({
  name: name.trim(),
  description: description.trim() || null,
  project: project || null,
  constraints,
});

/** Returns the problems that prevent saving. */
export function findProblems(draft: Draft, fields: readonly ContextField[]): string[] {
  const problems = findNameProblems(draft.name);
  for (const constraint of draft.constraints) {
    const { contextName, values, value } = constraint;
    if (!values?.length && !value) problems.push(`Enter a value for ${contextName}.`);
    const invalidValues = findDisallowedValues(
      constraint,
      fields.find(({ name }) => name === contextName),
    );
    if (invalidValues.length > 0) problems.push(`Remove the values that are not allowed for ${contextName}.`);
  }
  return problems;
}
