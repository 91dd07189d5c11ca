import { Gauge, type Registry } from 'prom-client';
import type { PoolUsage } from './database.ts';

/** For each pool, by its name in the metrics, the function that reads its usage. */
export type PoolUsageReaders = Map<string, () => PoolUsage>;

/** Registers the metrics of the pools that this process has opened. */
export function registerPoolMetrics(registry: Registry, usageReaders: PoolUsageReaders): void {
  const gauge = (name: string, help: string, value: (usage: PoolUsage) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, readUsage] of usageReaders) this.set({ pool }, value(readUsage()));
      },
    });
  gauge('halyard_pool_size', 'Connections that a pool may open', ({ size }) => size);
  gauge('halyard_pool_in_use', 'Connections in use by requests and jobs', ({ inUse }) => inUse);
  gauge('halyard_pool_waiting', 'Requests and jobs that wait for a connection', ({ waiting }) => waiting);
}
