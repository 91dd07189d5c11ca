import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { startLoadBalancer } from '../../console/e2e/support/server.ts';
import { api, createProject, json, run, server, start, unique } from './support/run.ts';

const WRITERS = 20;
const FLAGS_PER_WRITER = 5;

test('events tail prints every event once, in order, despite broken connections', async () => {
  const loadBalancer = await startLoadBalancer({ url: server.url });
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
      String(WRITERS * FLAGS_PER_WRITER),
    ],
    { env: { HALYARD_SERVER: loadBalancer.url } },
  );

  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let index = 0; index < FLAGS_PER_WRITER; index++) {
      await api.send('POST', `/api/admin/projects/${project}/features`, {
        name: `flag-${writer}-${index}-${unique()}`,
      });
      if (writer === 0) loadBalancer.cut();
    }
  });
  await Promise.all(writers);
  const { code, stdout } = await tail.completion;

  const ids = stdout
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: number }).id);
  expect(code).toBe(0);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  expect(ids).toHaveLength(WRITERS * FLAGS_PER_WRITER);
  await loadBalancer.close();
});

test('listen signs events as a webhook does', async () => {
  const project = await createProject(api);
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  const receivedEvents: unknown[] = [];
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    receivedEvents.push(new Webhook(secret).verify(body, request.headers as Record<string, string>));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const flag = `flag-${unique()}`;

  const listenRun = run(['listen', '--forward-to', url, '-p', project, '--count', '1'], {
    env: { HALYARD_WEBHOOK_SECRET: secret },
  });
  // The stream begins with the next event, but the test cannot see when the stream is open, so it keeps creating events.
  let hasEnded = false;
  const result = listenRun.finally(() => {
    hasEnded = true;
  });
  for (let index = 0; !hasEnded; index++) {
    await run(['flags', 'create', `${flag}-${index}`, '-p', project]);
  }
  const { stdout, code } = await result;

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'feature-created', status: 204 });
  expect(receivedEvents).toHaveLength(1);
  expect(receivedEvents[0]).toMatchObject({ type: 'feature-created', project });
  receiver.close();
});

test('an interrupted export fails after a complete line', async () => {
  const otherServer = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write('{"id":1}\n{"id":2');
    setImmediate(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(otherServer, 'listening');

  const { code, stdout, stderr } = await run(['events', 'export'], {
    env: { HALYARD_SERVER: `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}` },
  });

  expect(code).toBe(1);
  expect(stdout === '' || stdout === '{"id":1}\n').toBe(true);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'Failed', hint: expect.stringContaining('--after') },
  });
  otherServer.close();
});

test('a search finds the events that tail prints', async () => {
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
  const tailRun = await run([
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

  expect(JSON.parse(tailRun.stdout)).toEqual(events[0]);
});
