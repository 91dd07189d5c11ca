import type { Chunk } from './chunks.ts';
import type { Feature, Segment } from './environment.ts';
import { isFiltered } from './filters.ts';
import { gzipOf, type Piece, pieceOf, shortPiece } from './gzip.ts';
import { inlineText } from './inline.ts';
import { featuresOf, projectsOf, type Scope, SHARED, segmentsOf } from './scope.ts';

/** `features`: the response to GET /api/client/features. `hydration`: the event that contains the whole scope. */
export type BodyKind = 'features' | 'hydration';

const COMMA = shortPiece(',');

/** Compresses a string when it is the caller's turn. The caller is empty for strings that all clients share. */
export type Compress = (caller: string, text: () => string) => Promise<Piece>;

const compressNow: Compress = (_caller, text) => pieceOf(text());

/** The text before the features, between features and segments, and after the segments. */
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

/**
 * Compresses only what changed since the last body that had the same chunks. What the body contains is decided when this is called: the
 * environment may change while its parts are compressed.
 */
export async function gzipBody(
  kind: BodyKind,
  scope: Scope,
  compress: Compress = compressNow,
): Promise<Buffer> {
  const { head, middle, tail } = frameOf(kind, scope);
  const inline = isInline(kind, scope);
  const features = featurePieces(scope, inline, compress);
  const segments = inline
    ? []
    : segmentsOf(scope, scope.current).map(segment => segmentPiece(segment, compress));
  return gzipOf([
    shortPiece(head),
    ...withCommas(await Promise.all(features)),
    shortPiece(middle),
    ...withCommas(await Promise.all(segments)),
    shortPiece(tail),
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

/** Events contain segments separately, and every client that reads events supports that. */
const isInline = (kind: BodyKind, { inline }: Scope): boolean => inline && kind === 'features';

const withCommas = (pieces: Piece[]): Piece[] =>
  pieces.flatMap((piece, at) => (at === 0 ? [piece] : [COMMA, piece]));

/** Whole chunks are shared by all scopes. A filter has its own pieces for the chunks that it cuts. */
function featurePieces(scope: Scope, inline: boolean, compress: Compress): Promise<Piece>[] {
  // A copy, because a segment is replaced in the map.
  const segments = inline ? new Map(scope.current.segments) : scope.current.segments;
  const textOf = (feature: Feature): string => (inline ? inlineText({ segments }, feature) : feature.text);
  const joined = (features: readonly Feature[]) => () => features.map(textOf).join(',');
  const whole = (chunk: Chunk): Promise<Piece> => {
    const form = inline ? 'inline' : 'apart';
    chunk[form] ??= compress(SHARED, joined(chunk.features));
    return chunk[form];
  };
  const chunks = projectsOf(scope, scope.current).flatMap(project => project.chunks);
  if (!isFiltered(scope.filters)) return chunks.map(whole);
  const chosen = new Set(featuresOf(scope, scope.current));
  return chunks.flatMap(chunk => {
    const features = chunk.features.filter(feature => chosen.has(feature));
    if (features.length === 0) return [];
    if (features.length === chunk.features.length) return [whole(chunk)];
    return [compress(scope.owner, joined(features))];
  });
}

function segmentPiece(segment: Segment, compress: Compress): Promise<Piece> {
  segment.piece ??= compress(SHARED, () => segment.text);
  return segment.piece;
}
