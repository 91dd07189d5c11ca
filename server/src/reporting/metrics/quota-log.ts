import { QUOTAS, type ReachedQuota } from '@halyard/plane/counting/quotas.ts';
import { BoundedMap } from '@halyard/plane/platform/bounded-map.ts';
import { Counter, type Registry } from 'prom-client';
import type { Db } from '../../platform/db/database.ts';
import { findTokenName } from './store.ts';

type Log = { warn: (fields: object, message: string) => void };

const HOUR_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Logs which token reached a quota, at most once an hour for each token and quota. */
export function makeQuotaLog(db: Db, log: Log, registry: Registry): (reached: ReachedQuota[]) => void {
  const loggedAt = new BoundedMap<string, number>(MAX_REMEMBERED);
  const counter = new Counter({
    name: 'halyard_metrics_quota_reached_total',
    help: 'Number of hours in which an API token reported more new applications, instances, unknown flags or unknown variants than its quota',
    labelNames: ['kind'],
    registers: [registry],
  });

  const write = async ({ token, kind }: ReachedQuota): Promise<void> => {
    const tokenName = await findTokenName(db, token).catch(() => undefined);
    log.warn({ kind, tokenId: token, tokenName, ...QUOTAS[kind] }, 'usage quota reached');
  };

  return reachedQuotas => {
    for (const quota of reachedQuotas) {
      const key = `${quota.kind} ${quota.token}`;
      if (Date.now() - (loggedAt.get(key) ?? 0) < HOUR_MS) continue;
      loggedAt.set(key, Date.now());
      counter.inc({ kind: quota.kind });
      void write(quota);
    }
  };
}
