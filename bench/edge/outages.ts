import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeToken, must } from '../requests.ts';
import { changeFlag } from '../sdk/data.ts';
import type { Row } from './main.ts';
import { statusOf, untilEqual, type World } from './world.ts';

const CAUGHT_UP_WITHIN_MS = 2_000;
const WRITE_EVERY_MS = 50;
const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;
const EXPIRES_AFTER_MS = 20_000;
const MAX_ERROR_MS = 5_000;

/** An edge that is cut off while flags change, and how long it needs afterwards. */
export async function measureCut(
  { server, client, proxy, startEdge }: World,
  cutSeconds: number,
): Promise<Row[]> {
  const token = await makeToken(server.url, 'backend', 'production');
  const edge = await startEdge();
  await untilEqual(server.url, edge.url, token);
  const snapshots = await metric(edge.url, 'halyard_edge_snapshots_total');
  proxy.cut();
  const cutAt = performance.now();
  let changes = 0;
  while (performance.now() - cutAt < cutSeconds * 1_000) {
    await changeFlag(client, 'production', 2_000 + changes++);
    await sleep(WRITE_EVERY_MS);
  }
  const { rows } = await client.query(`select revision from sdk_revisions where environment = 'production'`);
  proxy.thaw();
  const began = performance.now();
  while ((await metric(edge.url, 'halyard_edge_revision')) < Number(rows[0]?.revision)) await sleep(10);
  const ms = performance.now() - began;
  const isEqual = await untilEqual(server.url, edge.url, token);
  const read = (await metric(edge.url, 'halyard_edge_snapshots_total')) - snapshots;
  await edge.stop();
  return [
    {
      what: `caught up after ${cutSeconds} s without the server and ${changes} changes (${read} snapshots read, all flags ${isEqual ? 'equal' : 'not equal'})`,
      value: `${ms.toFixed(0)} ms`,
      limit: `${CAUGHT_UP_WITHIN_MS} ms`,
      isMet: ms <= CAUGHT_UP_WITHIN_MS && isEqual,
    },
  ];
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Tokens expire when the server says so, on edges whose clocks are 10 minutes off. */
export async function measureClocks({ server, startEdge }: World): Promise<Row[]> {
  if (!existsSync(LIBRARY)) throw new Error('The part "clock" requires the Debian package faketime.');
  const measure = async (offset: string): Promise<Row> => {
    const env = { LD_PRELOAD: LIBRARY, FAKETIME: offset, FAKETIME_DONT_RESET: '1' };
    const edge = await startEdge({ env });
    const expiresAt = Date.now() + EXPIRES_AFTER_MS;
    const { secret } = (await must(server.url, 'POST', '/api/admin/api-tokens', {
      tokenName: 'bench',
      type: 'backend',
      environment: 'production',
      expiresAt: new Date(expiresAt).toISOString(),
    })) as { secret: string };
    while ((await statusOf(edge.url, secret)) !== 200) await sleep(50);
    while ((await statusOf(edge.url, secret)) !== 401) await sleep(50);
    const error = Date.now() - expiresAt;
    await edge.stop();
    return {
      what: `expiry of a token on an edge whose clock is off by ${offset}`,
      value: `${error} ms late`,
      limit: `${MAX_ERROR_MS} ms`,
      isMet: Math.abs(error) <= MAX_ERROR_MS,
    };
  };
  return await Promise.all([measure('+10m'), measure('-10m')]);
}
