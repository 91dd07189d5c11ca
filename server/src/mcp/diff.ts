import type { Feature } from '../flags/features/schema.ts';
import { describeStrategy } from './describe-strategy.ts';

export type Difference = { path: string; from?: string; to?: string };

/**
 * Returns the visible content of a flag, by path. Strategies are numbered, because the id of a new strategy differs between the dry
 * run and the change.
 */
function describeContent(feature: Feature): Map<string, string> {
  const content = new Map<string, string>([
    ['description', feature.description ?? ''],
    ['type', feature.type],
    ['stale', String(feature.stale)],
    ['archived', String(feature.archivedAt !== undefined)],
    ['tags', feature.tags.map(({ type, value }) => `${type}:${value}`).join(', ')],
    ['parents', feature.dependencies.map(dependency => dependency.feature).join(', ')],
  ]);
  for (const { name, enabled, strategies, variants } of feature.environments) {
    // SDKs do not get archived flags, so archiving an enabled flag also disables it in the environment.
    content.set(`${name}: enabled`, String(enabled && feature.archivedAt === undefined));
    for (const [index, strategy] of strategies.entries())
      content.set(
        `${name}: strategy ${index + 1}`,
        `${describeStrategy(strategy)} ${describeDetails(strategy)}`.trim(),
      );
    for (const { name: variant, weight, payload } of variants)
      content.set(
        `${name}: variant ${variant}`,
        `weight ${weight}${payload ? ` ${payload.type} ${payload.value}` : ''}`,
      );
  }
  return content;
}

/** Returns the parts that the description omits. They are included so that every change shows up as a difference. */
const describeDetails = ({
  constraints,
  variants,
  parameters: { stickiness, groupId },
}: Feature['environments'][number]['strategies'][number]): string =>
  [
    ...constraints.map(
      ({ contextName, operator, values, value, inverted }) =>
        `${inverted ? 'not ' : ''}${contextName} ${operator} ${[...(values ?? []), ...(value ? [value] : [])].join('|')}`,
    ),
    ...variants.map(({ name, weight }) => `variant ${name} ${weight}`),
    ...(stickiness && stickiness !== 'default' ? [`by ${stickiness}`] : []),
    ...(groupId ? [`group ${groupId}`] : []),
  ].join('; ');

/** Lists what differs between two states of flags. */
export function listDifferences(
  flagsBefore: readonly Feature[],
  flagsAfter: readonly Feature[],
): Difference[] {
  return flagsBefore.flatMap(feature => {
    const counterpart = flagsAfter.find(({ name }) => name === feature.name);
    const [oldContent, newContent] = [
      describeContent(feature),
      counterpart ? describeContent(counterpart) : new Map<string, string>(),
    ];
    return [...new Set([...oldContent.keys(), ...newContent.keys()])].flatMap(part => {
      const [from, to] = [oldContent.get(part), newContent.get(part)];
      if (from === to) return [];
      return [{ path: `${feature.name} / ${part}`, ...(from && { from }), ...(to && { to }) }];
    });
  });
}
