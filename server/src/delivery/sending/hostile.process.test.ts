import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyDatabase, discardDatabase, getDatabaseUrl } from '../../test/database.ts';
import { startProcess, stopProcess, unwatch } from '../../test/process.ts';
import { type Receiver, startReceiver } from '../../test/receiver.ts';

const TOKEN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_hostile_${randomBytes(4).toString('hex')}`;
const env = {
  DATABASE_URL: getDatabaseUrl(name),
  HALYARD_INIT_ADMIN_TOKENS: TOKEN,
  HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
  HALYARD_ALLOWED_TARGETS: '127.0.0.1',
};
let receiver: Receiver;

beforeAll(async () => {
  await copyDatabase(inject('template'), name);
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await discardDatabase(name);
});

test('an attempt fails if its template multiplies a long list, and the server keeps running', async () => {
  const server = await startProcess(env);
  const callAdmin = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: TOKEN, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return JSON.parse((await response.text()) || '{}');
  };
  const list = '{{#event.data.legalValues}}';
  const addons = ['one', 'two'].map(description => ({
    provider: 'webhook',
    description,
    enabled: true,
    events: ['context-field-created'],
    parameters: {
      url: `${receiver.url}/${description}`,
      ...(description === 'one'
        ? { bodyTemplate: `${list}${list}${'x'.repeat(280)}${'{{/event.data.legalValues}}'.repeat(2)}` }
        : {}),
    },
  }));
  const ids: number[] = [];
  for (const addon of addons) ids.push((await callAdmin('POST', '/api/admin/addons', addon)).id);

  await callAdmin('POST', '/api/admin/context', {
    name: 'region',
    legalValues: Array.from({ length: 1_000 }, (_, index) => ({ value: `value-${index}` })),
  });

  const records = async (id?: number) =>
    (await callAdmin('GET', `/api/admin/addons/${id}/events`)).integrationEvents as Record<string, unknown>[];
  await expect
    .poll(() => records(ids[0]))
    .toMatchObject([
      { state: 'failed', attempts: 1, stateDetails: expect.stringContaining('body template') },
    ]);
  // The server still serves other requests.
  await expect.poll(() => records(ids[1])).toMatchObject([{ state: 'success' }]);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/two']);
  expect(await stopProcess(server)).toMatchObject({ code: 0 });
});

test('the server logs and counts an unhandled rejection, and keeps running', async () => {
  const plant = "process.on('SIGUSR2', () => void Promise.reject(new Error('planted')))";
  const server = await startProcess({
    ...env,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(plant)}`,
  });
  unwatch(server);

  server.process.kill('SIGUSR2');

  await expect.poll(server.output).toMatch(/"level":60.*planted.*"msg":"unhandled rejection"/);
  const metrics = await (await fetch(`${server.url}/internal-backstage/prometheus`)).text();
  expect(metrics).toContain('halyard_unhandled_rejections_total 1');
  expect((await fetch(`${server.url}/ready`)).status).toBe(200);
  expect(await stopProcess(server)).toMatchObject({ code: 0 });
});
