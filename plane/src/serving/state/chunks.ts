import { crc32 } from 'node:zlib';
import type { Feature } from './environment.ts';
import type { Piece } from './gzip.ts';

const MAX_FEATURES = 100;
/** On average, one in this many names starts a chunk. Chunks have 70 features on average. */
const NAMES_PER_START = 128;

/** Neighbouring features of one project that are compressed together, with segments separate or inline. */
export type Chunk = {
  readonly features: readonly Feature[];
  apart?: Promise<Piece>;
  inline?: Promise<Piece>;
};

/**
 * Whether a chunk starts with this name. The names decide, not the order of changes: a server that started today has the same
 * chunks, and so the same bytes, as one that has run for weeks. A new feature moves only a few chunk boundaries.
 */
export const startsChunk = (name: string): boolean => crc32(name) % NAMES_PER_START === 0;

/** Divides the sorted features of a project into chunks, and keeps the chunks in which nothing changed. */
export function divide(features: readonly Feature[], before: readonly Chunk[]): Chunk[] {
  const known = new Map(before.map(chunk => [chunk.features[0], chunk]));
  const chunks: Chunk[] = [];
  let start = 0;
  for (let end = 1; end <= features.length; end++) {
    const next = features[end];
    if (next !== undefined && !next.startsChunk && end - start < MAX_FEATURES) continue;
    chunks.push(unchanged(known, features, start, end) ?? { features: features.slice(start, end) });
    start = end;
  }
  return chunks;
}

function unchanged(
  known: Map<Feature | undefined, Chunk>,
  features: readonly Feature[],
  start: number,
  end: number,
): Chunk | undefined {
  const chunk = known.get(features[start]);
  if (chunk?.features.length !== end - start) return undefined;
  return chunk.features.every((feature, at) => feature === features[start + at]) ? chunk : undefined;
}
