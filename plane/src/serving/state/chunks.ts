import { crc32 } from 'node:zlib';
import type { Feature } from './feature.ts';
import type { Piece } from './gzip.ts';

const MAX_FEATURES = 100;
/** On average, one in this many names starts a chunk. With MAX_FEATURES, a chunk has 70 features on average. */
const NAMES_PER_START = 128;

/** Neighboring features of one project that are compressed together, with segments separate or inline. */
export type Chunk = {
  readonly features: readonly Feature[];
  separate?: Promise<Piece>;
  inline?: Promise<Piece>;
};

/**
 * Whether a chunk starts with this name. That depends on names rather than on the order of changes: a server that started today
 * has the same chunks, and so the same bytes, as one that has run for weeks. A new feature moves only a few chunk boundaries.
 */
export const startsChunk = (name: string): boolean => crc32(name) % NAMES_PER_START === 0;

/** Divides the sorted features of a project into chunks, and keeps the chunks in which nothing changed. */
export function splitIntoChunks(features: readonly Feature[], previousChunks: readonly Chunk[]): Chunk[] {
  const chunksByFirstFeature = new Map(previousChunks.map(chunk => [chunk.features[0], chunk]));
  const chunks: Chunk[] = [];
  let start = 0;
  for (let end = 1; end <= features.length; end++) {
    const next = features[end];
    if (next !== undefined && !next.startsChunk && end - start < MAX_FEATURES) continue;
    chunks.push(
      unchanged(chunksByFirstFeature, features, start, end) ?? { features: features.slice(start, end) },
    );
    start = end;
  }
  return chunks;
}

function unchanged(
  chunksByFirstFeature: Map<Feature | undefined, Chunk>,
  features: readonly Feature[],
  start: number,
  end: number,
): Chunk | undefined {
  const chunk = chunksByFirstFeature.get(features[start]);
  if (chunk?.features.length !== end - start) return undefined;
  return chunk.features.every((feature, index) => feature === features[start + index]) ? chunk : undefined;
}
