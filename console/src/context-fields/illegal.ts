import { findDisallowedValues } from '../features/draft.ts';
import type { Segment } from '../features/queries.ts';
import type { LegalValue } from './queries.ts';

/** Finds the segments whose constraints on the field use illegal values. */
export const findSegmentsWithIllegalValues = (
  segments: readonly Pick<Segment, 'id' | 'name' | 'constraints'>[],
  field: string,
  legalValues: LegalValue[],
): { id: number; name: string; values: string[] }[] =>
  segments.flatMap(({ id, name, constraints }) => {
    const values = constraints
      .filter(({ contextName }) => contextName === field)
      .flatMap(constraint => findDisallowedValues(constraint, { legalValues }));
    return values.length > 0 ? [{ id, name, values: [...new Set(values)] }] : [];
  });
