import type { FeatureRow, SegmentRow, TokenRow } from '../serving/source.ts';
import { type Change, type Environment, isCurrent } from '../serving/state/environment.ts';
import type { ServingState } from '../serving/state/serving.ts';
import type { Snapshot } from './format.ts';

/** What is in memory of an environment. The rows are taken now: a later change replaces them in place. */
export function takeSnapshot(state: ServingState, name: string, environment: Environment): Snapshot {
  const current = environment.history.filter(change => isCurrent(environment, change));
  const { epoch, revision, completeSince } = environment;
  return {
    feed: { environment: name, projects: null },
    epoch,
    revision,
    takenAt: new Date(Date.now() - (state.age ?? 0) * 1_000).toISOString(),
    completeSince,
    origins: [...state.origins],
    tokenRevision: state.tokens.revision,
    tokens: tokensOf(state, name),
    endedTokens: [...state.tokens.ended],
    features: current.flatMap(featureRows),
    segments: current.flatMap(segmentRows),
  };
}

const tokensOf = (state: ServingState, environment: string): TokenRow[] =>
  [...state.tokens.all()]
    .filter(token => token.environment === environment && !token.ended)
    .map(({ id, hash, type, projects, expiresAt }) => ({
      id,
      hash,
      type,
      environment,
      projects: projects === undefined ? null : [...projects],
      expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
    }));

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
