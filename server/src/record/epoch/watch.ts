import type { Epoch } from './store.ts';

/**
 * A `restart` means that PostgreSQL was restarted and nothing is known to be lost, a `failover` that a standby was promoted, and a
 * `restore` that a backup, a dump or a snapshot was restored. After a failover or a restore, changes may be lost and revoked tokens
 * may be valid again.
 */
export const EPOCH_CHANGES = ['restart', 'failover', 'restore'] as const;

export type EpochChange = { from: string; to: string; kind: (typeof EPOCH_CHANGES)[number]; reason: string };

/** The epoch of the database as the process knows it. Everything that keeps rows in memory drops them when the epoch changes. */
export type EpochWatch = {
  /** The id of the epoch, or undefined until it has been read. */
  readonly current: string | undefined;
  /** Takes the epoch that was just read and, if the caller knows, what the database has lost. */
  observe: (epoch: Epoch, loss?: string) => void;
  /** Calls the listener whenever the epoch changes. Returns a function that unsubscribes. */
  onChange: (listener: (change: EpochChange) => void) => () => void;
};

export function makeEpochWatch(): EpochWatch {
  const listeners = new Set<(change: EpochChange) => void>();
  let current: Epoch | undefined;
  return {
    get current() {
      return current?.id;
    },
    observe: (epoch, loss) => {
      const previous = current;
      current = epoch;
      if (previous === undefined || previous.id === epoch.id) return;
      const change = { from: previous.id, to: epoch.id, ...getCause(previous, epoch, loss) };
      for (const listener of listeners) listener(change);
    },
    onChange: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function getCause(oldEpoch: Epoch, newEpoch: Epoch, loss?: string): Pick<EpochChange, 'kind' | 'reason'> {
  const { kind, reason } = compareEpochs(oldEpoch, newEpoch);
  return {
    kind: kind === 'restart' && loss !== undefined ? 'restore' : kind,
    reason: loss === undefined || loss === reason ? reason : `${reason} ${loss}`,
  };
}

function compareEpochs(oldEpoch: Epoch, newEpoch: Epoch): Pick<EpochChange, 'kind' | 'reason'> {
  if (oldEpoch.systemIdentifier !== newEpoch.systemIdentifier || oldEpoch.database !== newEpoch.database)
    return { kind: 'restore', reason: 'The server is connected to a different database.' };
  if (oldEpoch.timeline !== newEpoch.timeline)
    return {
      kind: 'failover',
      reason: `A standby was promoted: the timeline changed from ${oldEpoch.timeline} to ${newEpoch.timeline}.`,
    };
  if (oldEpoch.number !== newEpoch.number)
    return { kind: 'restore', reason: newEpoch.reason ?? 'The epoch number was changed.' };
  if (oldEpoch.files !== newEpoch.files)
    return { kind: 'restore', reason: 'The tables were restored from a dump or rewritten.' };
  return { kind: 'restart', reason: 'PostgreSQL was restarted.' };
}
