import type { Positions, Witness } from '../documents/store.ts';
import type { Holder } from './holder.ts';

/** What a server has in memory of a database. */
export type Known = {
  witness: Witness | undefined;
  tokenRevision: number;
  holders: ReadonlyMap<string, Pick<Holder, 'current'>>;
};

/** Numbers only rise. One that is lower than the server knows it proves that changes are lost. Undefined if there is no proof. */
export function lossIn(read: Positions, known: Known): string | undefined {
  if (!read.hasWitness) return `Event ${known.witness?.id} is no longer in the database.`;
  if (read.tokenRevision < known.tokenRevision)
    return `The tokens were at revision ${known.tokenRevision}, and are at ${read.tokenRevision}.`;
  for (const [environment, { current }] of known.holders) {
    const revision = revisionIn(read, environment);
    if (revision < current.revision)
      return `Environment "${environment}" was at revision ${current.revision}, and is at ${revision}.`;
  }
  return undefined;
}

export const revisionIn = ({ environments }: Positions, environment: string): number =>
  environments.find(one => one.environment === environment)?.revision ?? 0;
