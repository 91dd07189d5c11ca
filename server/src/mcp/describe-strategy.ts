import { formatCount } from '@halyard/plane/platform/errors.ts';
import type { FeatureStrategy } from '../flags/feature-environments/schema.ts';
import { sanitizeText } from './sanitize.ts';

type DescribedStrategy = Pick<FeatureStrategy, 'name' | 'parameters'> &
  Partial<Pick<FeatureStrategy, 'title' | 'disabled' | 'constraints' | 'segments' | 'variants'>>;

/** Describes a strategy in a few words. */
export function describeStrategy({
  name,
  title,
  disabled,
  parameters,
  constraints,
  segments,
  variants,
}: DescribedStrategy): string {
  const { rollout } = parameters;
  const parts = [
    title ? `${name} "${sanitizeText(title)}"` : name,
    ...(rollout === undefined ? [] : [`${rollout} %`]),
    ...Object.entries(parameters)
      .filter(([key, value]) => value !== '' && !['rollout', 'groupId', 'stickiness'].includes(key))
      .map(([key, value]) => `${key} ${value}`),
    ...(constraints?.length
      ? [
          `${formatCount(constraints.length, 'constraint')} on ${constraints.map(constraint => constraint.contextName).join(', ')}`,
        ]
      : []),
    ...(segments?.length ? [`segments ${segments.join(', ')}`] : []),
    ...(variants?.length ? [formatCount(variants.length, 'variant')] : []),
    ...(disabled ? ['disabled'] : []),
  ];
  return parts.join(', ');
}
