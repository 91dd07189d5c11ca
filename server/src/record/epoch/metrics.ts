import { Counter, type Registry } from 'prom-client';
import { EPOCH_CHANGES, type EpochWatch } from './watch.ts';

type Log = { warn: (fields: object, message: string) => void };

/** Logs and counts epoch changes. */
export function reportEpochs(epochs: EpochWatch, log: Log, registry: Registry): void {
  const changes = new Counter({
    name: 'halyard_database_epoch_changes_total',
    help: 'Times that the database began a new history: PostgreSQL was restarted, a standby promoted, or a backup restored',
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
