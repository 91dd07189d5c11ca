import { counted } from '../ui/words.ts';
import type { Export } from './queries.ts';

/** What an export contains: "12 flags", "3 segments by name". */
export const contentsOf = (data: Export): string[] =>
  [
    [data.features.length, 'flag'],
    [data.featureStrategies.length, 'strategy', 'strategies'],
    [data.featureTags?.length ?? 0, 'tag on a flag', 'tags on flags'],
    [data.dependencies?.length ?? 0, 'flag with parents', 'flags with parents'],
    [data.links?.length ?? 0, 'flag with links', 'flags with links'],
    [data.segments?.length ?? 0, 'segment, by name', 'segments, by name'],
    [data.contextFields?.length ?? 0, 'context field'],
    [data.tagTypes?.length ?? 0, 'tag type'],
  ].flatMap(([count, noun, plural]) =>
    count === 0
      ? []
      : [counted(Number(count), String(noun), plural === undefined ? undefined : String(plural))],
  );

/** The export in a string, or the reason why the string is not an export. */
export function exportOf(text: string): { data: Export } | { problem: string } {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { problem: 'This is not JSON.' };
  }
  const { features, featureStrategies } = (data ?? {}) as Partial<Export>;
  if (!Array.isArray(features) || !Array.isArray(featureStrategies))
    return { problem: 'This is not an export: it has no lists "features" and "featureStrategies".' };
  return { data: data as Export }; // The server checks the rest.
}
