import type { Epoch } from './store.ts';

/**
 * `restart`: PostgreSQL was restarted, and nothing is known to be lost. `failover`: a standby was promoted. `restore`: a backup, a
 * dump or a snapshot was restored. After the last two, changes may be lost, and revoked tokens valid again.
 */
export const EPOCH_CHANGES = ['restart', 'failover', 'restore'] as const;

export type EpochChange = { from: string; to: string; kind: (typeof EPOCH_CHANGES)[number]; reason: string };

/** Which epoch of the database the process is in. Everything that keeps rows in memory drops them when the epoch changes. */
export type EpochWatch = {
  /** The id of the epoch. Undefined until it was read. */
  readonly current: string | undefined;
  /** Reports the epoch that was read, and what the reader knows but the database has lost. */
  observe: (epoch: Epoch, loss?: string) => void;
  /** Calls back after a change. Returns a function that unsubscribes. */
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
      const before = current;
      current = epoch;
      if (before === undefined || before.id === epoch.id) return;
      const change = { from: before.id, to: epoch.id, ...causeOf(before, epoch, loss) };
      for (const listener of listeners) listener(change);
    },
    onChange: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function causeOf(before: Epoch, after: Epoch, loss?: string): Pick<EpochChange, 'kind' | 'reason'> {
  const { kind, reason } = factOf(before, after);
  return {
    kind: kind === 'restart' && loss !== undefined ? 'restore' : kind,
    reason: loss === undefined || loss === reason ? reason : `${reason} ${loss}`,
  };
}

function factOf(before: Epoch, after: Epoch): Pick<EpochChange, 'kind' | 'reason'> {
  if (before.systemIdentifier !== after.systemIdentifier || before.database !== after.database)
    return { kind: 'restore', reason: 'The server is connected to a different database.' };
  if (before.timeline !== after.timeline)
    return {
      kind: 'failover',
      reason: `A standby was promoted: the timeline changed from ${before.timeline} to ${after.timeline}.`,
    };
  if (before.number !== after.number)
    return { kind: 'restore', reason: after.reason ?? 'The number of the epoch was changed.' };
  if (before.files !== after.files)
    return { kind: 'restore', reason: 'The tables were restored from a dump or written again.' };
  return { kind: 'restart', reason: 'PostgreSQL was restarted.' };
}
