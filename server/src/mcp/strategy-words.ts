import { counted } from '../../../plane/src/platform/errors.ts';
import type { FeatureStrategy } from '../flags/feature-environments/schema.ts';
import { shownText } from './shown.ts';

type Described = Pick<FeatureStrategy, 'name' | 'parameters'> &
  Partial<Pick<FeatureStrategy, 'title' | 'disabled' | 'constraints' | 'segments' | 'variants'>>;

/** A strategy in a few words. */
export function strategyWords({
  name,
  title,
  disabled,
  parameters,
  constraints,
  segments,
  variants,
}: Described): string {
  const { rollout } = parameters;
  const parts = [
    title ? `${name} "${shownText(title)}"` : name,
    ...(rollout === undefined ? [] : [`${rollout} %`]),
    ...Object.entries(parameters)
      .filter(([key, value]) => value !== '' && !['rollout', 'groupId', 'stickiness'].includes(key))
      .map(([key, value]) => `${key} ${value}`),
    ...(constraints?.length
      ? [
          `${counted(constraints.length, 'constraint')} on ${constraints.map(one => one.contextName).join(', ')}`,
        ]
      : []),
    ...(segments?.length ? [`segments ${segments.join(', ')}`] : []),
    ...(variants?.length ? [counted(variants.length, 'variant')] : []),
    ...(disabled ? ['disabled'] : []),
  ];
  return parts.join(', ');
}
