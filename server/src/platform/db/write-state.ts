import { Gauge, type Registry } from 'prom-client';

/** Flags are read every second, so a database that is still read-only is noticed again long before this. */
const READ_ONLY_FOR_MS = 3_000;

/** Whether the database accepts writes, as far as the connections of this process know. */
export type WriteState = {
  /** Call this when a connection accepts no writes. */
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
      return notedAt !== undefined && performance.now() - notedAt < READ_ONLY_FOR_MS;
    },
  };
}

export function writeMetrics(registry: Registry, state: WriteState): void {
  new Gauge({
    name: 'halyard_database_read_only',
    help: '1 while the database accepts reads but no writes, for example because this server reached a standby; otherwise 0',
    registers: [registry],
    collect() {
      this.set(state.isReadOnly ? 1 : 0);
    },
  });
}
