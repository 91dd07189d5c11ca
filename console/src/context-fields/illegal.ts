import { notAllowed } from '../features/draft.ts';
import type { Segment } from '../features/queries.ts';
import type { LegalValue } from './queries.ts';

/** The segments with constraints on the field whose values are not legal, and these values. */
export const illegalValues = (
  segments: readonly Pick<Segment, 'id' | 'name' | 'constraints'>[],
  field: string,
  legalValues: LegalValue[],
): { id: number; name: string; values: string[] }[] =>
  segments.flatMap(({ id, name, constraints }) => {
    const values = constraints
      .filter(({ contextName }) => contextName === field)
      .flatMap(constraint => notAllowed(constraint, { legalValues }));
    return values.length > 0 ? [{ id, name, values: [...new Set(values)] }] : [];
  });
