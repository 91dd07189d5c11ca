import { expect, test } from 'vitest';
import { POLL, useNats } from './nats-world.ts';

const world = useNats({ tls: true });
const { createFlag, startEdge, read, metric, waitUntilLive, waitUntilEqual, servers } = world;

test('servers and edges use TLS with a private CA', async () => {
  expect(world.nats.url).toMatch(/^tls:/);
  const edge = await startEdge();
  await waitUntilLive(edge);
  expect(await metric(servers[0], 'halyard_nats_connected')).toBe(1);

  world.proxy.cut();
  await createFlag('through-tls');
  await expect.poll(async () => (await read(servers[0])).body, POLL).toContain('"through-tls"');

  await waitUntilEqual(edge);
});

test('an edge that does not trust the certificate, or does not use TLS, reads from the server instead', async () => {
  for (const url of [world.nats.url, world.nats.url.replace('tls:', 'nats:')]) {
    const edge = await startEdge(url, world.enrolment, {});
    await waitUntilEqual(edge);
    await expect.poll(() => metric(edge, 'halyard_edge_nats_failures_total'), POLL).toBeGreaterThan(0);
    expect(await metric(edge, 'halyard_edge_nats_live')).toBe(0);
  }
});
