import { Counter, type Registry } from 'prom-client';
import { EPOCH_CHANGES, type EpochWatch } from './watch.ts';

type Log = { warn: (fields: object, message: string) => void };

/** Logs and counts epoch changes. */
export function reportEpochChanges(epochs: EpochWatch, log: Log, registry: Registry): void {
  const changes = new Counter({
    name: 'halyard_database_epoch_changes_total',
    help: 'Number of times that PostgreSQL was restarted, a standby was promoted, or a backup was restored',
    labelNames: ['kind'],
    registers: [registry],
  });
  // Starts at 0, so that the first change is an increase.
  for (const kind of EPOCH_CHANGES) changes.inc({ kind }, 0);
  epochs.onChange(change => {
    changes.inc({ kind: change.kind });
    log.warn(change, 'database epoch changed');
  });
}
