import type { Chunk } from './chunks.ts';
import type { Segment } from './environment.ts';
import type { Feature } from './feature.ts';
import { isFiltered } from './filters.ts';
import { compressPiece, compressPieceSync, joinPieces, type Piece } from './gzip.ts';
import { inlineText } from './inline.ts';
import { listFeatures, listProjects, listSegments, type Scope, SHARED } from './scope.ts';

/** `features`: the response to GET /api/client/features. `hydration`: the event that contains the whole scope. */
export type BodyKind = 'features' | 'hydration';

const COMMA = compressPieceSync(',');

/** Compresses a string when it is the caller's turn. The caller is empty for strings that all clients share. */
export type Compress = (caller: string, text: () => string) => Promise<Piece>;

const compressNow: Compress = (_caller, text) => compressPiece(text());

/** The text before the features, between them and the segments, and after the segments. */
type Frame = { head: string; middle: string; tail: string };

function buildFrame(kind: BodyKind, scope: Scope): Frame {
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
  const suffix = `"query":${JSON.stringify(query)},"meta":${JSON.stringify({ revisionId: revision, etag, queryHash: id })}}`;
  return {
    head: '{"version":2,"features":[',
    middle: inline ? '],' : '],"segments":[',
    tail: inline ? suffix : `],${suffix}`,
  };
}

/**
 * Compresses only what changed since the last body with the same chunks. The content is fixed at the call, because the
 * environment may change while its parts are compressed.
 */
export async function gzipBody(
  kind: BodyKind,
  scope: Scope,
  compress: Compress = compressNow,
): Promise<Buffer> {
  const { head, middle, tail } = buildFrame(kind, scope);
  const inline = isInline(kind, scope);
  const features = featurePieces(scope, inline, compress);
  const segments = inline
    ? []
    : listSegments(scope, scope.current).map(segment => segmentPiece(segment, compress));
  return joinPieces([
    compressPieceSync(head),
    ...withCommas(await Promise.all(features)),
    compressPieceSync(middle),
    ...withCommas(await Promise.all(segments)),
    compressPieceSync(tail),
  ]);
}

export function plainBody(kind: BodyKind, scope: Scope): string {
  const { current } = scope;
  const inline = isInline(kind, scope);
  const { head, middle, tail } = buildFrame(kind, scope);
  const features = listFeatures(scope, current).map(feature =>
    inline ? inlineText(current, feature) : feature.text,
  );
  const segments = inline ? [] : listSegments(scope, current).map(({ text }) => text);
  return `${head}${features.join(',')}${middle}${segments.join(',')}${tail}`;
}

/** Events contain segments separately, and every client that reads events supports that. */
const isInline = (kind: BodyKind, { inline }: Scope): boolean => inline && kind === 'features';

const withCommas = (pieces: Piece[]): Piece[] =>
  pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));

/** Whole chunks are shared by all scopes. A filter that selects part of a chunk has its own piece for that part. */
function featurePieces(scope: Scope, inline: boolean, compress: Compress): Promise<Piece>[] {
  // Uses a copy, because a changed segment is replaced in the map.
  const segments = inline ? new Map(scope.current.segments) : scope.current.segments;
  const getText = (feature: Feature): string => (inline ? inlineText({ segments }, feature) : feature.text);
  const joinTexts = (features: readonly Feature[]) => () => features.map(getText).join(',');
  const wholePiece = (chunk: Chunk): Promise<Piece> => {
    const form = inline ? 'inline' : 'separate';
    chunk[form] ??= compress(SHARED, joinTexts(chunk.features));
    return chunk[form];
  };
  const chunks = listProjects(scope, scope.current).flatMap(project => project.chunks);
  if (!isFiltered(scope.filters)) return chunks.map(wholePiece);
  const selectedFeatures = new Set(listFeatures(scope, scope.current));
  return chunks.flatMap(chunk => {
    const features = chunk.features.filter(feature => selectedFeatures.has(feature));
    if (features.length === 0) return [];
    if (features.length === chunk.features.length) return [wholePiece(chunk)];
    return [compress(scope.owner, joinTexts(features))];
  });
}

function segmentPiece(segment: Segment, compress: Compress): Promise<Piece> {
  segment.piece ??= compress(SHARED, () => segment.text);
  return segment.piece;
}
