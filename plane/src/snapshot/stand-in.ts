import type { Source } from '../serving/source.ts';
import type { Snapshot } from './format.ts';

export type StandIn = {
  source: Source;
  /** The time of the oldest snapshot that SDKs are served from. Undefined after `end`. */
  readonly since: string | undefined;
  /** Switches to the real source. */
  end: () => void;
};

/**
 * Creates a source that serves snapshots until `end` is called, for a process whose real source does not respond at startup. Tokens
 * that the snapshots lack are still looked up in the real source.
 */
export function makeStandIn(snapshots: readonly Snapshot[], realSource: Source): StandIn {
  const [newest] = snapshots.toSorted((a, b) => (a.takenAt < b.takenAt ? 1 : -1));
  const since = snapshots.map(({ takenAt }) => takenAt).toSorted()[0];
  let isLoading = newest !== undefined;
  const isOneState = snapshots.every(
    ({ epoch, tokenRevision }) => epoch === newest?.epoch && tokenRevision === newest.tokenRevision,
  );
  // Snapshots from different times have no common token revision, so the tokens are reloaded when the source responds.
  const epoch = isOneState ? (newest?.epoch ?? '') : '';
  const tokenRevision = newest?.tokenRevision ?? 0;
  return {
    source: {
      ...realSource,
      positions: async knownRevisions =>
        isLoading
          ? {
              epoch,
              now: new Date().toISOString(),
              copyTakenAt: since ?? '',
              tokenRevision,
              origins: newest?.origins ?? [],
              environments: [],
            }
          : await realSource.positions(knownRevisions),
      changes: async (environment, afterRevision) => {
        const snapshot = snapshots.find(({ feed }) => feed.environment === environment);
        return isLoading && snapshot ? snapshot : await realSource.changes(environment, afterRevision);
      },
      tokens: async () =>
        isLoading
          ? {
              epoch,
              revision: tokenRevision,
              tokens: snapshots.flatMap(({ tokens }) => tokens),
              ended: snapshots.flatMap(({ endedTokens }) => endedTokens),
            }
          : await realSource.tokens(),
    },
    get since() {
      return isLoading ? since : undefined;
    },
    end: () => {
      isLoading = false;
    },
  };
}
