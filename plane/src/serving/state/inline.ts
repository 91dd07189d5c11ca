import type { Environment, Feature } from './environment.ts';

type Strategy = { segments?: number[]; constraints?: unknown[] };
type Document = { strategies?: Strategy[] };

/** The feature for SDKs that do not support segments: each strategy contains the constraints of its segments. */
export function inlineText(
  { segments }: Pick<Environment, 'segments'>,
  { text, segments: used }: Feature,
): string {
  if (used.length === 0) return text;
  const document = JSON.parse(text) as Document;
  const constraintsOf = (id: number): unknown[] => {
    const segment = segments.get(id);
    return segment ? (JSON.parse(segment.text) as { constraints: unknown[] }).constraints : [];
  };
  const strategies = document.strategies?.map(({ segments: ids = [], ...strategy }) => ({
    ...strategy,
    constraints: [...(strategy.constraints ?? []), ...ids.flatMap(constraintsOf)],
  }));
  return JSON.stringify({ ...document, strategies });
}
