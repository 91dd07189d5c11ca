import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeToken, mustSend } from '../requests.ts';
import { changeFlag } from '../sdk/data.ts';
import type { Row } from './row.ts';
import { readStatus, type World, waitForEqualFlags } from './world.ts';

const MAX_CATCH_UP_MS = 2_000;
const WRITE_EVERY_MS = 50;
const FAKETIME_LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;
const TOKEN_LIFETIME_MS = 20_000;
const MAX_DEVIATION_MS = 5_000;

/** Disconnects an edge while flags change, and measures how long it takes to catch up. */
export async function measureOutage(
  { server, client, proxy, startEdge }: World,
  cutSeconds: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const edge = await startEdge();
  await waitForEqualFlags(server.url, edge.url, token);
  const snapshotsBefore = await readMetric(edge.url, 'halyard_edge_snapshots_total');
  proxy.cut();
  const cutAt = performance.now();
  let changeCount = 0;
  while (performance.now() - cutAt < cutSeconds * 1_000) {
    await changeFlag(client, 'production', 2_000 + changeCount++);
    await sleep(WRITE_EVERY_MS);
  }
  const { rows } = await client.query(`select revision from sdk_revisions where environment = 'production'`);
  proxy.restore();
  const reconnectedAt = performance.now();
  while ((await readMetric(edge.url, 'halyard_edge_revision')) < Number(rows[0]?.revision)) await sleep(10);
  const ms = performance.now() - reconnectedAt;
  const isEqual = await waitForEqualFlags(server.url, edge.url, token);
  const snapshotsRead = (await readMetric(edge.url, 'halyard_edge_snapshots_total')) - snapshotsBefore;
  await edge.stop();
  return [
    {
      metric: `caught up after ${cutSeconds} s without the server and ${changeCount} changes (${snapshotsRead} snapshots read, all flags ${isEqual ? 'equal' : 'not equal'})`,
      value: `${ms.toFixed(0)} ms`,
      limit: `${MAX_CATCH_UP_MS} ms`,
      isWithinLimit: ms <= MAX_CATCH_UP_MS && isEqual,
    },
  ];
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Measures how late tokens expire on edges whose clocks are 10 minutes off. The server's clock decides when they expire. */
export async function measureClocks({ server, startEdge }: World): Promise<Row[]> {
  if (!existsSync(FAKETIME_LIBRARY))
    throw new Error('The part "clock" requires the Debian package faketime.');
  const measure = async (offset: string): Promise<Row> => {
    const env = { LD_PRELOAD: FAKETIME_LIBRARY, FAKETIME: offset, FAKETIME_DONT_RESET: '1' };
    const edge = await startEdge({ env });
    const expiresAt = Date.now() + TOKEN_LIFETIME_MS;
    const { secret } = (await mustSend(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench',
      type: 'backend',
      environment: 'production',
      expiresAt: new Date(expiresAt).toISOString(),
    })) as { secret: string };
    while ((await readStatus(edge.url, secret)) !== 200) await sleep(50);
    while ((await readStatus(edge.url, secret)) !== 401) await sleep(50);
    const lateMs = Date.now() - expiresAt;
    await edge.stop();
    return {
      metric: `expiry of a token on an edge whose clock is off by ${offset}`,
      value: `${lateMs} ms late`,
      limit: `${MAX_DEVIATION_MS} ms`,
      isWithinLimit: Math.abs(lateMs) <= MAX_DEVIATION_MS,
    };
  };
  return await Promise.all([measure('+10m'), measure('-10m')]);
}
