import { counted } from '../ui/words.ts';
import type { FeatureEnvironment, Strategy } from './queries.ts';
import { listOf } from './words.ts';

/** The state of the flag in an environment. */
export type Side = Pick<FeatureEnvironment, 'name' | 'enabled' | 'strategies' | 'variants'>;

/** The effect of a copy before it happens ("removes 1 strategy") and after it ("removed 1 strategy"). */
export type CopyEffect = { does: string; did: string; removes: boolean; disables: boolean };

export const contentOf = ({ id: _, featureName: __, sortOrder: ___, ...content }: Strategy) => content;
const textsOf = ({ strategies }: Side): string[] => strategies.map(one => JSON.stringify(contentOf(one)));

/** The strings without those of the other list. A string that occurs twice is compared twice. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return texts.filter(text => {
    const at = left.indexOf(text);
    if (at < 0) return true;
    left.splice(at, 1);
    return false;
  });
}

/** The ids of the strategies that the other side does not have with the same content. */
export function differing(one: Side, other: Side): ReadonlySet<string> {
  const left = textsOf(other);
  return new Set(
    one.strategies.flatMap(strategy => {
      const at = left.indexOf(JSON.stringify(contentOf(strategy)));
      if (at < 0) return [strategy.id];
      left.splice(at, 1);
      return [];
    }),
  );
}

/** How a copy changes the target. undefined: the target already equals the source. */
export function copyEffect(from: Side, to: Side): CopyEffect | undefined {
  const [source, target] = [textsOf(from), textsOf(to)];
  const removed = without(target, source).length;
  const added = without(source, target).length;
  // The server disables a flag without enabled strategies, because SDKs would enable it for everyone.
  const disables = to.enabled && from.strategies.every(one => one.disabled);
  const hasOtherVariants = JSON.stringify(from.variants) !== JSON.stringify(to.variants);
  const steps: [string, string, string][] = [];
  if (removed > 0) steps.push(['removes', 'removed', counted(removed, 'strategy', 'strategies')]);
  if (added > 0) steps.push(['adds', 'added', counted(added, 'strategy', 'strategies')]);
  if (removed + added === 0 && source.join() !== target.join())
    steps.push(['changes', 'changed', 'the order of the strategies']);
  if (hasOtherVariants)
    steps.push(
      from.variants.length > 0
        ? ['replaces', 'replaced', 'the variants of the flag']
        : ['removes', 'removed', counted(to.variants.length, 'variant of the flag', 'variants of the flag')],
    );
  if (disables) steps.push(['disables', 'disabled', 'the flag']);
  if (steps.length === 0) return undefined;
  const words = (tense: 0 | 1) =>
    listOf(
      steps.map(step => `${step[tense]} ${step[2]}`),
      'and',
    );
  return { does: words(0), did: words(1), removes: removed > 0, disables };
}
