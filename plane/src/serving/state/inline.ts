import type { Environment } from './environment.ts';
import type { Feature } from './feature.ts';

type Strategy = { segments?: number[]; constraints?: unknown[] };
type Document = { strategies?: Strategy[] };

/** Returns the feature for SDKs that do not support segments. Its segments' constraints are copied into each strategy. */
export function inlineText(
  { segments }: Pick<Environment, 'segments'>,
  { text, segments: segmentIds }: Feature,
): string {
  if (segmentIds.length === 0) return text;
  const document = JSON.parse(text) as Document;
  const getConstraints = (id: number): unknown[] => {
    const segment = segments.get(id);
    return segment ? (JSON.parse(segment.text) as { constraints: unknown[] }).constraints : [];
  };
  const strategies = document.strategies?.map(({ segments: ids = [], ...strategy }) => ({
    ...strategy,
    constraints: [...(strategy.constraints ?? []), ...ids.flatMap(getConstraints)],
  }));
  return JSON.stringify({ ...document, strategies });
}
