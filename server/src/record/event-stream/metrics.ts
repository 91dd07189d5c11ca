import { Gauge, type Registry } from 'prom-client';
import type { EventStream } from './reader.ts';

export function registerEventStreamMetrics(registry: Registry, { state }: EventStream): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('halyard_event_stream_listeners', 'Open event streams', () => state().listeners);
  gauge(
    'halyard_event_stream_listeners_behind',
    'Open event streams that are catching up after a reconnection or because their client reads slowly',
    () => state().behind,
  );
  gauge(
    'halyard_event_stream_lag_seconds',
    'Seconds since the open event streams last reached the watermark',
    () => state().lagMs / 1_000,
  );
}
