import { availableParallelism } from 'node:os';
import { version } from '../../platform/command-line.ts';
import type { Limits } from '../../platform/config.ts';
import { readBudget } from '../../platform/db/connection-budget.ts';
import type { Reader } from '../../platform/db/database.ts';
import { readIndexLag } from '../../record/event-index/lag.ts';
import { listLoginMethods } from '../auth-settings/methods.ts';
import { type Diagnostics, LIMITED_RESOURCES } from './diagnostics-schema.ts';
import {
  countIntegrations,
  countLimitedResources,
  findNewestEvent,
  listConnections,
  readDatabase,
} from './diagnostics-store.ts';
import { readCounts } from './store.ts';

type Settings = { publicUrl: string; limits: Limits; hasSecretKey: boolean };

/** Collects versions, sizes, counts and delays of the instance, but nothing that people entered. */
export async function diagnose(
  db: Reader,
  { publicUrl, limits, hasSecretKey }: Settings,
): Promise<Diagnostics> {
  const { instanceId, timestamp } = await readCounts(db);
  const loginTypes = (await listLoginMethods(db)).map(({ type }) => type);
  const { available, limitedBy, connectedServers } = await readBudget(db);
  const usage = await countLimitedResources(db);
  return {
    createdAt: timestamp,
    instanceId,
    version: version(),
    publicUrl,
    login: { password: loginTypes.includes('password'), singleSignOn: loginTypes.includes('oidc') },
    secretKey: hasSecretKey,
    server: describeProcess(),
    database: {
      ...(await readDatabase(db)),
      availableConnections: available,
      limitedBy,
      servers: connectedServers,
      connections: await listConnections(db),
    },
    limits: LIMITED_RESOURCES.map(name => ({ name, used: usage[name], limit: limits[name] })),
    events: {
      ...(await findNewestEvent(db)),
      indexLagSeconds: { filters: await readIndexLag(db, 'filters'), text: await readIndexLag(db, 'text') },
    },
    integrations: await countIntegrations(db),
  };
}

function describeProcess(): Diagnostics['server'] {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    uptimeSeconds: Math.floor(process.uptime()),
    residentBytes: rss,
    heapBytes: heapUsed,
  };
}
