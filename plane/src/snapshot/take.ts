import type { FeatureRow, SegmentRow, TokenRow } from '../serving/source.ts';
import { changesAfter } from '../serving/state/delta.ts';
import { type Change, type Environment, isCurrent } from '../serving/state/environment.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { SdkToken } from '../serving/tokens/tokens.ts';
import type { Feed, Snapshot } from './format.ts';

/**
 * Takes a snapshot of the feed from the state in memory. The rows are copied immediately, because later changes replace them in
 * place.
 */
export function takeSnapshot(state: ServingState, feed: Feed, environment: Environment): Snapshot {
  const { epoch, revision, completeSince } = environment;
  return {
    feed,
    epoch,
    revision,
    takenAt: new Date(Date.now() - (state.age ?? 0) * 1_000).toISOString(),
    completeSince,
    origins: [...state.origins],
    tokenRevision: state.tokens.revision,
    tokens: listFeedTokens(state, feed),
    endedTokens: [...state.tokens.ended],
    ...collectFeedRows(environment, feed, 0),
  };
}

/** Returns the rows of the feed that changed after a revision, each at its newest revision. Revision 0 returns everything. */
export function collectFeedRows(
  environment: Environment,
  { projects }: Feed,
  afterRevision: number,
): { features: FeatureRow[]; segments: SegmentRow[] } {
  const changes =
    afterRevision === 0
      ? environment.history.filter(change => isCurrent(environment, change))
      : changesAfter(environment, afterRevision);
  const features = changes
    .flatMap(featureRows)
    .filter(({ project }) => projects === null || projects.includes(project));
  const segments = changes.flatMap(segmentRows);
  if (projects === null) return { features, segments };
  // Segments that only other projects use are not part of the feed. An older segment joins the feed together
  // with the first feature that uses it.
  const neededSegments = new Set(features.flatMap(row => row.segments));
  const usedSegments = environment.projects
    .filter(({ name }) => projects.includes(name))
    .flatMap(project => [...project.segments.keys()]);
  return {
    features,
    segments: [
      ...segments.filter(({ document }) => document === null),
      ...[...new Set(usedSegments)]
        .flatMap(id => environment.segments.get(id) ?? [])
        .filter(({ id, revision }) => revision > afterRevision || neededSegments.has(id))
        .map(({ id, revision, text }) => ({ id, revision, document: text })),
    ],
  };
}

/** Returns the tokens that can read nothing but the feed. An edge token for exactly this feed is one of them. */
export const listFeedTokens = (state: ServingState, feed: Feed): TokenRow[] =>
  [...state.tokens.all()].filter(token => !token.ended && belongsToFeed(token, feed)).map(toTokenRow);

export function belongsToFeed({ environment, projects, type }: SdkToken, feed: Feed): boolean {
  if (environment !== feed.environment) return false;
  if (type === 'edge') return (projects?.join('\n') ?? null) === (feed.projects?.join('\n') ?? null);
  return feed.projects === null || projects?.every(project => feed.projects?.includes(project)) === true;
}

export const toTokenRow = ({ id, hash, type, environment, projects, expiresAt }: SdkToken): TokenRow => ({
  id,
  hash,
  type,
  environment,
  projects: projects === undefined ? null : [...projects],
  expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
});

function featureRows({ kind, row }: Change): FeatureRow[] {
  if (kind === 'removal') return [{ ...row, document: null, segments: [], tags: [] }];
  if (kind !== 'feature') return [];
  const { project, name, revision, text, segments, tags } = row;
  return [{ project, name, revision, document: text, segments: [...segments], tags: [...tags] }];
}

function segmentRows({ kind, row }: Change): SegmentRow[] {
  if (kind === 'segment removal') return [{ ...row, document: null }];
  return kind === 'segment' ? [{ id: row.id, revision: row.revision, document: row.text }] : [];
}
