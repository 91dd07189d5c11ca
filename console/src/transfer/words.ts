import { formatCount } from '../ui/words.ts';
import type { Export } from './queries.ts';

/** Describes what an export contains, for example "12 flags" and "3 segments (by name)". */
export const describeContents = (data: Export): string[] =>
  [
    [data.features.length, 'flag'],
    [data.featureStrategies.length, 'strategy', 'strategies'],
    [data.featureTags?.length ?? 0, 'tag on a flag', 'tags on flags'],
    [data.dependencies?.length ?? 0, 'flag with parents', 'flags with parents'],
    [data.links?.length ?? 0, 'flag with links', 'flags with links'],
    [data.segments?.length ?? 0, 'segment (by name)', 'segments (by name)'],
    [data.contextFields?.length ?? 0, 'context field'],
    [data.tagTypes?.length ?? 0, 'tag type'],
  ].flatMap(([count, noun, plural]) =>
    count === 0
      ? []
      : [formatCount(Number(count), String(noun), plural === undefined ? undefined : String(plural))],
  );

/** Parses an export, or returns why the string is not an export. */
export function parseExport(text: string): { data: Export } | { problem: string } {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { problem: 'This is not JSON.' };
  }
  const { features, featureStrategies } = (data ?? {}) as Partial<Export>;
  if (!Array.isArray(features) || !Array.isArray(featureStrategies))
    return { problem: 'This is not an export: the lists "features" and "featureStrategies" are missing.' };
  return { data: data as Export }; // The server checks the rest.
}

/** Returns the environment from which the file was exported, unless the file names none or several. */
export function findSourceEnvironment({ featureEnvironments = [] }: Export): string | undefined {
  // Exports name the environment, but an import does not require it, so the API type does not have it.
  const names = featureEnvironments.map(entry => (entry as { environment?: unknown }).environment);
  const [name, ...otherNames] = new Set(names);
  return typeof name === 'string' && otherNames.length === 0 ? name : undefined;
}

const FOREIGN_NAMES = /^Features with these names exist in a different project\b.*/;

/** Whether the finding lists flags of different projects, whose names the import cannot use. */
export const isAboutForeignNames = (message: string): boolean => FOREIGN_NAMES.test(message);

/** Returns the finding's message, with what to do about flags of different projects. */
export const describeFinding = (message: string): string =>
  message.replace(
    FOREIGN_NAMES,
    'Flags with these names exist in a different project. Import into that project to overwrite them, or clone or move them from there.',
  );
