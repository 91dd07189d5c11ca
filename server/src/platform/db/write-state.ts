import { Gauge, type Registry } from 'prom-client';

/** The server reads flags every second, so it notices long before this time is over if the database is still read-only. */
const ASSUMED_READ_ONLY_MS = 3_000;

/** Whether the database accepts writes, as far as this process knows from its connections. */
export type WriteState = {
  /** Must be called when a connection turns out to be read-only. */
  noteReadOnly: () => void;
  readonly isReadOnly: boolean;
};

export function makeWriteState(): WriteState {
  let notedAt: number | undefined;
  return {
    noteReadOnly: () => {
      notedAt = performance.now();
    },
    get isReadOnly() {
      return notedAt !== undefined && performance.now() - notedAt < ASSUMED_READ_ONLY_MS;
    },
  };
}

export function registerWriteStateMetrics(registry: Registry, state: WriteState): void {
  new Gauge({
    name: 'halyard_database_read_only',
    help: '1 while the database accepts reads but no writes, for example because this server reached a standby; otherwise 0',
    registers: [registry],
    collect() {
      this.set(state.isReadOnly ? 1 : 0);
    },
  });
}
