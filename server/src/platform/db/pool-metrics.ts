import { Gauge, type Registry } from 'prom-client';
import type { PoolUse } from './database.ts';

/** Pools of connections by their name in the metrics. */
export type Pools = Map<string, () => PoolUse>;

/** Registers the metrics of the pools that this process has opened. */
export function poolMetrics(registry: Registry, pools: Pools): void {
  const gauge = (name: string, help: string, value: (use: PoolUse) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, use] of pools) this.set({ pool }, value(use()));
      },
    });
  gauge('halyard_pool_size', 'Connections that a pool may open', ({ size }) => size);
  gauge('halyard_pool_in_use', 'Connections of a pool that a request or job uses', ({ inUse }) => inUse);
  gauge('halyard_pool_waiting', 'Requests and jobs that wait for a connection', ({ waiting }) => waiting);
}
