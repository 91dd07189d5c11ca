import type { ReactNode } from 'react';
import { describeConstraints } from './words.ts';

/** Shows constraints in words, or the children if the value contains anything else. FieldDiff loads this component on demand. */
export const ConstraintText = ({ value, children }: { value: unknown; children: ReactNode }) =>
  describeConstraints(value) ?? children;
