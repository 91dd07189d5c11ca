import { formatCount } from '../ui/words.ts';
import type { FeatureEnvironment, Strategy } from './queries.ts';
import { formatList } from './words.ts';

/** The state of the flag in an environment. */
export type Side = Pick<FeatureEnvironment, 'name' | 'enabled' | 'strategies' | 'variants'>;

/**
 * The effect of a copy in the present tense ("removes 1 strategy") and the past tense ("removed 1 strategy"), and whether it
 * removes strategies or disables the flag.
 */
export type CopyEffect = { present: string; past: string; removesStrategies: boolean; disablesFlag: boolean };

export const getStrategyContent = ({ id: _, featureName: __, sortOrder: ___, ...content }: Strategy) =>
  content;
const serializeStrategies = ({ strategies }: Side): string[] =>
  strategies.map(strategy => JSON.stringify(getStrategyContent(strategy)));

/** Returns the strings missing from the other list. A string that occurs twice must occur twice in the other list too. */
function listMissingStrings(texts: readonly string[], otherTexts: readonly string[]): string[] {
  const unmatched = [...otherTexts];
  return texts.filter(text => {
    const index = unmatched.indexOf(text);
    if (index < 0) return true;
    unmatched.splice(index, 1);
    return false;
  });
}

/** Returns the ids of the strategies without an equal strategy on the other side. */
export function listDifferingIds(side: Side, other: Side): ReadonlySet<string> {
  const unmatched = serializeStrategies(other);
  return new Set(
    side.strategies.flatMap(strategy => {
      const index = unmatched.indexOf(JSON.stringify(getStrategyContent(strategy)));
      if (index < 0) return [strategy.id];
      unmatched.splice(index, 1);
      return [];
    }),
  );
}

/** Describes how a copy changes the target. Returns undefined if the target already equals the source. */
export function describeCopyEffect(source: Side, target: Side): CopyEffect | undefined {
  const [sourceTexts, targetTexts] = [serializeStrategies(source), serializeStrategies(target)];
  const removedCount = listMissingStrings(targetTexts, sourceTexts).length;
  const addedCount = listMissingStrings(sourceTexts, targetTexts).length;
  // The server disables a flag that has no enabled strategies, because SDKs would otherwise enable it for everyone.
  const disablesFlag = target.enabled && source.strategies.every(strategy => strategy.disabled);
  const hasOtherVariants = JSON.stringify(source.variants) !== JSON.stringify(target.variants);
  const steps: [string, string, string][] = [];
  if (removedCount > 0)
    steps.push(['removes', 'removed', formatCount(removedCount, 'strategy', 'strategies')]);
  if (addedCount > 0) steps.push(['adds', 'added', formatCount(addedCount, 'strategy', 'strategies')]);
  if (removedCount + addedCount === 0 && sourceTexts.join() !== targetTexts.join())
    steps.push(['changes', 'changed', 'the order of the strategies']);
  if (hasOtherVariants)
    steps.push(
      source.variants.length > 0
        ? ['replaces', 'replaced', "the flag's variants"]
        : [
            'removes',
            'removed',
            formatCount(target.variants.length, 'variant of the flag', 'variants of the flag'),
          ],
    );
  if (disablesFlag) steps.push(['disables', 'disabled', 'the flag']);
  if (steps.length === 0) return undefined;
  const describe = (tense: 0 | 1) =>
    formatList(
      steps.map(step => `${step[tense]} ${step[2]}`),
      'and',
      step => step,
    );
  return { present: describe(0), past: describe(1), removesStrategies: removedCount > 0, disablesFlag };
}
