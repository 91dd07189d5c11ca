import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startFront } from '../../console/e2e/support/server.ts';
import { api, createProject, json, run, server, start, unique } from './support/run.ts';

const WRITERS = 20;
const EACH = 5;

test('events tail prints every event of 20 writers once, in order, through broken connections', async () => {
  const front = await startFront({ url: server.url });
  const project = await createProject(api);
  const tail = start(
    [
      'events',
      'tail',
      '-p',
      project,
      '-t',
      'feature-created',
      '--after',
      '0',
      '--count',
      String(WRITERS * EACH),
    ],
    { env: { HALYARD_SERVER: front.url } },
  );

  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; n < EACH; n++) {
      await api.send('POST', `/api/admin/projects/${project}/features`, {
        name: `flag-${writer}-${n}-${unique()}`,
      });
      if (writer === 0) front.cut();
    }
  });
  await Promise.all(writers);
  const { code, stdout } = await tail.ended;

  const ids = stdout
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: number }).id);
  expect(code).toBe(0);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  expect(ids).toHaveLength(WRITERS * EACH);
  await front.close();
});

test('listen forwards events, signed as a webhook is', async () => {
  const project = await createProject(api);
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const received: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(new Webhook(secret).verify(body, request.headers as Record<string, string>));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const flag = `flag-${unique()}`;

  const listening = run(['listen', '--forward-to', url, '-p', project, '--count', '1'], {
    env: { HALYARD_WEBHOOK_SECRET: secret },
  });
  // The stream starts with the next event, and the test cannot see when it is open.
  let over = false;
  const ended = listening.finally(() => {
    over = true;
  });
  for (let n = 0; !over; n++) {
    await run(['flags', 'create', `${flag}-${n}`, '-p', project]);
  }
  const { stdout, code } = await ended;

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'feature-created', status: 204 });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ type: 'feature-created', project });
  receiver.close();
});

test('an interrupted export ends with a complete line, and the command fails', async () => {
  const other = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"id":1}\n{"id":2');
    setImmediate(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');

  const { code, stdout, stderr } = await run(['events', 'export'], {
    env: { HALYARD_SERVER: `http://127.0.0.1:${(other.address() as AddressInfo).port}` },
  });

  expect(code).toBe(1);
  expect(stdout === '' || stdout === '{"id":1}\n').toBe(true);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'Failed', hint: expect.stringContaining('--after') },
  });
  other.close();
});

test('a search finds what tail printed', async () => {
  const project = await createProject(api);
  await json(['flags', 'create', `flag-${unique()}`, '-p', project]);

  const { events } = await json<{ events: object[] }>([
    'events',
    'search',
    '-p',
    project,
    '-t',
    'feature-created',
  ]);
  const tailed = await run([
    'events',
    'tail',
    '-p',
    project,
    '-t',
    'feature-created',
    '--after',
    '0',
    '--count',
    '1',
  ]);

  expect(JSON.parse(tailed.stdout)).toEqual(events[0]);
});
