import type { Known } from '../../../../plane/src/serving/source.ts';
import type { DatabasePositions, Witness } from './store.ts';

/** Revisions only increase. One that is lower than the server knows proves that changes were lost. Undefined if there is no proof. */
export function lossIn(
  read: DatabasePositions,
  known: Known,
  witness: Witness | undefined,
): string | undefined {
  if (!read.hasWitness) return `Event ${witness?.id} is no longer in the database.`;
  if (read.tokenRevision < known.tokenRevision)
    return `The tokens were at revision ${known.tokenRevision}, and are at ${read.tokenRevision}.`;
  for (const [environment, before] of known.environments) {
    const revision = revisionIn(read, environment);
    if (revision < before)
      return `Environment "${environment}" was at revision ${before}, and is at ${revision}.`;
  }
  return undefined;
}

export const revisionIn = ({ environments }: DatabasePositions, environment: string): number =>
  environments.find(one => one.environment === environment)?.revision ?? 0;
