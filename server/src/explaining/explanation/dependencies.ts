import type { Dependency, Feature } from './document.ts';

/** A parent, and whether it meets the flag's requirement. */
export type CheckedDependency = {
  feature: string;
  requires: 'enabled' | 'disabled';
  /** The flag requires one of these variants of the parent, or any variant if the list is empty. */
  variants: string[];
  /** SDKs disable a flag if they do not know its parent, or if the parent has a parent itself. */
  state: 'enabled' | 'disabled' | 'missing' | 'has-parent';
  /** The variant that the parent serves. Null if the parent is not evaluated. */
  variant: string | null;
  result: boolean;
};

type ParentResult = { isEnabled: boolean; variant: { name: string } };

/** Checks a dependency. `parent` is the result of evaluating the parent with the same context. */
export function checkDependency(
  { feature, enabled, variants = [] }: Dependency,
  document: Feature | undefined,
  parent: ParentResult | undefined,
): CheckedDependency {
  const requires = enabled === false ? 'disabled' : 'enabled';
  const dependency = { feature, requires, variants } as const;
  if (!document || !parent) return { ...dependency, state: 'missing', variant: null, result: false };
  if (hasParents(document)) return { ...dependency, state: 'has-parent', variant: null, result: false };
  const evaluatedDependency = {
    ...dependency,
    state: parent.isEnabled ? ('enabled' as const) : ('disabled' as const),
    variant: parent.variant.name,
  };
  return { ...evaluatedDependency, result: isSatisfied(evaluatedDependency) };
}

export const hasParents = ({ dependencies = [] }: Feature): boolean => dependencies.length > 0;

export function isSatisfied({
  requires,
  variants,
  state,
  variant,
}: Omit<CheckedDependency, 'feature' | 'result'>): boolean {
  if (requires === 'disabled') return state === 'disabled';
  return state === 'enabled' && (variants.length === 0 || (variant !== null && variants.includes(variant)));
}
