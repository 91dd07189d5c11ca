import type { Chunk } from './chunks.ts';
import type { Environment, Segment } from './environment.ts';
import { isFiltered } from './filters.ts';
import { gzipOf, type Piece, pieceOf } from './gzip.ts';
import { inlineText } from './inline.ts';
import { featuresOf, projectsOf, type Scope, segmentsOf } from './scope.ts';

/** `features`: the response to GET /api/client/features. `hydration`: the event that contains the whole scope. */
export type BodyKind = 'features' | 'hydration';

const COMMA = pieceOf(',');

/** Text before the features, between features and segments, and after the segments. */
type Frame = { head: string; middle: string; tail: string };

function frameOf(kind: BodyKind, scope: Scope): Frame {
  if (kind === 'hydration') {
    return {
      head: `{"events":[{"eventId":${scope.revision},"type":"hydration","features":[`,
      middle: '],"segments":[',
      tail: ']}]}',
    };
  }
  const { environment, projects, filters, inline, id, revision, etag } = scope;
  const query = {
    environment,
    ...(projects ? { project: projects } : {}),
    ...(filters.namePrefix === '' ? {} : { namePrefix: filters.namePrefix }),
    ...(filters.tags.length === 0 ? {} : { tag: filters.tags }),
    inlineSegmentConstraints: inline,
  };
  const end = `"query":${JSON.stringify(query)},"meta":${JSON.stringify({ revisionId: revision, etag, queryHash: id })}}`;
  return {
    head: '{"version":2,"features":[',
    middle: inline ? '],' : '],"segments":[',
    tail: inline ? end : `],${end}`,
  };
}

/** Compresses only what changed since the last body that had the same chunks. */
export function gzipBody(kind: BodyKind, scope: Scope): Buffer {
  const { current } = scope;
  const inline = isInline(kind, scope);
  const { head, middle, tail } = frameOf(kind, scope);
  const features = isFiltered(scope.filters)
    ? filteredPieces(scope, inline)
    : projectsOf(scope, current).flatMap(({ chunks }) =>
        chunks.map(chunk => chunkPiece(current, chunk, inline)),
      );
  const segments = inline ? [] : segmentsOf(scope, current).map(segmentPiece);
  return gzipOf([
    pieceOf(head),
    ...withCommas(features),
    pieceOf(middle),
    ...withCommas(segments),
    pieceOf(tail),
  ]);
}

export function plainBody(kind: BodyKind, scope: Scope): string {
  const { current } = scope;
  const inline = isInline(kind, scope);
  const { head, middle, tail } = frameOf(kind, scope);
  const features = featuresOf(scope, current).map(feature =>
    inline ? inlineText(current, feature) : feature.text,
  );
  const segments = inline ? [] : segmentsOf(scope, current).map(({ text }) => text);
  return `${head}${features.join(',')}${middle}${segments.join(',')}${tail}`;
}

/** Events have segments of their own, and every client that reads events knows them. */
const isInline = (kind: BodyKind, { inline }: Scope): boolean => inline && kind === 'features';

const withCommas = (pieces: Piece[]): Piece[] =>
  pieces.flatMap((piece, at) => (at === 0 ? [piece] : [COMMA, piece]));

function chunkPiece(environment: Environment, chunk: Chunk, inline: boolean): Piece {
  const { features } = chunk;
  if (inline) {
    chunk.inline ??= pieceOf(features.map(feature => inlineText(environment, feature)).join(','));
    return chunk.inline;
  }
  chunk.apart ??= pieceOf(features.map(({ text }) => text).join(','));
  return chunk.apart;
}

/** Filters are rare, and the features that match are few: they share no chunk. */
function filteredPieces(scope: Scope, inline: boolean): Piece[] {
  const features = featuresOf(scope, scope.current);
  if (features.length === 0) return [];
  const texts = features.map(feature => (inline ? inlineText(scope.current, feature) : feature.text));
  return [pieceOf(texts.join(','))];
}

function segmentPiece(segment: Segment): Piece {
  segment.piece ??= pieceOf(segment.text);
  return segment.piece;
}
