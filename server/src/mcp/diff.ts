import type { Feature } from '../flags/features/schema.ts';
import { strategyWords } from './strategy-words.ts';

export type Difference = { path: string; from?: string; to?: string };

/** The visible content of a flag, by path. Strategies are described in words, because a new strategy has no permanent id yet. */
function contentOf(feature: Feature): Map<string, string> {
  const content = new Map<string, string>([
    ['description', feature.description ?? ''],
    ['type', feature.type],
    ['stale', String(feature.stale)],
    ['archived', String(feature.archivedAt !== undefined)],
    ['tags', feature.tags.map(({ type, value }) => `${type}:${value}`).join(', ')],
    ['parents', feature.dependencies.map(one => one.feature).join(', ')],
  ]);
  for (const { name, enabled, strategies, variants } of feature.environments) {
    content.set(`${name}: enabled`, String(enabled));
    for (const [at, strategy] of strategies.entries())
      content.set(`${name}: strategy ${at + 1}`, `${strategyWords(strategy)} ${detailsOf(strategy)}`.trim());
    for (const { name: variant, weight, payload } of variants)
      content.set(
        `${name}: variant ${variant}`,
        `weight ${weight}${payload ? ` ${payload.type} ${payload.value}` : ''}`,
      );
  }
  return content;
}

/** The parts that the words leave out, so that every change shows up as a difference. */
const detailsOf = ({
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

/** What differs between two states of flags. */
export function differences(before: readonly Feature[], after: readonly Feature[]): Difference[] {
  return before.flatMap(feature => {
    const then = after.find(({ name }) => name === feature.name);
    const [old, current] = [contentOf(feature), then ? contentOf(then) : new Map<string, string>()];
    return [...new Set([...old.keys(), ...current.keys()])].flatMap(part => {
      const [from, to] = [old.get(part), current.get(part)];
      if (from === to) return [];
      return [{ path: `${feature.name} / ${part}`, ...(from && { from }), ...(to && { to }) }];
    });
  });
}
