import type { KnownRevisions } from '@halyard/plane/serving/source.ts';
import type { DatabasePositions, HistoryMarker } from './store.ts';

/**
 * Returns the evidence that changes were lost, or undefined if there is none. Revisions only increase, so a revision that is lower
 * than one the server knows is evidence.
 */
export function detectLoss(
  positions: DatabasePositions,
  knownRevisions: KnownRevisions,
  marker: HistoryMarker | undefined,
): string | undefined {
  if (!positions.hasMarker) return `Event ${marker?.id} is no longer in the database.`;
  if (positions.tokenRevision < knownRevisions.tokenRevision)
    return `The tokens were at revision ${knownRevisions.tokenRevision}, but are now at ${positions.tokenRevision}.`;
  for (const [environment, knownRevision] of knownRevisions.environments) {
    const revision = findRevision(positions, environment);
    if (revision < knownRevision)
      return `Environment "${environment}" was at revision ${knownRevision}, but is now at ${revision}.`;
  }
  return undefined;
}

export const findRevision = ({ environments }: DatabasePositions, environment: string): number =>
  environments.find(position => position.environment === environment)?.revision ?? 0;
