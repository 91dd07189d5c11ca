import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDb } from './platform/db/database.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from './test/database.ts';
import { type RunningServer, spawnServer, startProcess, stopProcess } from './test/process.ts';
import { waitForLockWaiters } from './test/waiting.ts';

const TOKEN = '*:*.an-operator-chose-this-secret-0123456789';
const name = `halyard_main_${randomBytes(4).toString('hex')}`;
const env = { DATABASE_URL: getDatabaseUrl(name), HALYARD_INIT_ADMIN_TOKENS: TOKEN };

beforeAll(() => createDatabase(name));
afterAll(() => dropDatabase(name));

const send = (server: RunningServer, path: string, options: RequestInit = {}) =>
  fetch(`${server.url}${path}`, {
    ...options,
    headers: { authorization: TOKEN, 'content-type': 'application/json' },
  });

test('two servers that start at the same time on an empty database both come up', async () => {
  const servers = await Promise.all([startProcess(env), startProcess(env)]);

  for (const server of servers) {
    expect(await (await send(server, '/api/admin/user')).json()).toMatchObject({
      user: { name: 'admin token admin' },
    });
    expect(await (await send(server, '/health')).json()).toEqual({ health: 'GOOD' });
  }
  // The token was created only once, although both servers were configured to create it.
  const events = await send(servers[0], '/api/admin/search/events?type=IS:api-token-created');
  expect(await events.json()).toMatchObject({ total: 1 });
  const stopped = await Promise.all(servers.map(server => stopProcess(server)));
  expect(stopped.map(({ code }) => code)).toEqual([0, 0]);
});

test('on SIGTERM the server finishes running requests, closes connections without a request, and exits with 0', async () => {
  const server = await startProcess(env);
  const blocker = new pg.Client({ connectionString: env.DATABASE_URL });
  await blocker.connect();
  await blocker.query("begin; select from projects where id = 'default' for update");
  const body = JSON.stringify({ name: `Renamed ${Date.now()}` });
  const runningRequest = send(server, '/api/admin/projects/default', { method: 'PUT', body });
  const db = openDb({ url: env.DATABASE_URL, poolSize: 1, onError: () => {} });
  await waitForLockWaiters(db);
  await db.destroy();
  // Browsers and load balancers open connections like this before they have a request to send.
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');

  const stopping = stopProcess(server);
  const isServed = () =>
    fetch(`${server.url}/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(isServed).toBe(false);
  await blocker.query('commit');
  await blocker.end();

  expect((await runningRequest).status).toBe(200);
  expect(await stopping).toMatchObject({ code: 0 });
});

test('after SIGTERM the server is not ready but still serves requests, and a second SIGTERM stops it', async () => {
  const server = await startProcess({ ...env, HALYARD_SHUTDOWN_DELAY_SECONDS: '600' });
  const ready = async () => {
    const response = await send(server, '/ready');
    return [response.status, await response.json()];
  };

  server.process.kill('SIGTERM');
  await expect.poll(ready).toEqual([503, { health: 'BAD', database: 'GOOD', writes: 'GOOD' }]);
  const body = JSON.stringify({ name: `Renamed ${Date.now()}` });
  const served = [
    await send(server, '/api/admin/user'),
    await send(server, '/api/admin/projects/default', { method: 'PUT', body }),
    await send(server, '/api/client/features'),
  ];

  // The last status is 403, because SDK endpoints reject an admin token.
  expect(served.map(({ status }) => status)).toEqual([200, 200, 403]);
  expect(served.map(({ headers }) => headers.get('connection'))).toEqual(['close', 'close', 'close']);
  expect(await stopProcess(server)).toMatchObject({ code: 0 });
});

test('SIGINT stops the server without a delay', async () => {
  const server = await startProcess({ ...env, HALYARD_SHUTDOWN_DELAY_SECONDS: '600' });

  expect(await stopProcess(server, 'SIGINT')).toMatchObject({ code: 0 });
});

test('reports all invalid environment variables together, with an example of each but no secrets', async () => {
  const { child, output } = spawnServer({
    DATABASE_URL: 'mysql://x',
    PORT: '99999',
    HALYARD_INIT_ADMIN_TOKENS: '*:*.too-short-but-secret',
    NODE_ENV: 'production',
  });

  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  for (const variable of ['DATABASE_URL', 'PORT', 'HALYARD_INIT_ADMIN_TOKENS', 'HALYARD_SECRET_KEY']) {
    expect(output()).toMatch(new RegExp(`${variable} .+ Example: ${variable}=`));
  }
  expect(output()).not.toContain('too-short');
});

test('rejects a weak password for the first admin before it connects, and does not print the password', async () => {
  const { child, output } = spawnServer({
    DATABASE_URL: 'postgres://127.0.0.1:1/halyard',
    HALYARD_INIT_ADMIN_USERNAME: 'ada',
    HALYARD_INIT_ADMIN_PASSWORD: 'Summer-2026!',
  });

  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  expect(output()).toContain('HALYARD_INIT_ADMIN_PASSWORD is easy to guess');
  expect(output()).not.toMatch(/Summer|^\s+at /m);
});

test('does not start with a reserved username for the first admin', async () => {
  const { child, output } = spawnServer({
    ...env,
    HALYARD_INIT_ADMIN_USERNAME: 'System',
    HALYARD_INIT_ADMIN_PASSWORD: 'mauve-otter-7-lanterns',
  });

  const [code] = await once(child, 'exit');

  expect(code).toBe(1);
  expect(output()).toContain('HALYARD_INIT_ADMIN_USERNAME: username "System" is reserved');
});

test('the first admin can log in over HTTP, and neither the password nor the cookie is logged', async () => {
  const password = 'mauve-otter-7-lanterns';
  const admin = { HALYARD_INIT_ADMIN_USERNAME: 'ada', HALYARD_INIT_ADMIN_PASSWORD: password };
  const server = await startProcess({ ...env, ...admin, HALYARD_PUBLIC_URL: 'https://flags.example.com' });

  const login = await fetch(`${server.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const me = await fetch(`${server.url}/api/admin/user`, { headers: { cookie } });
  await stopProcess(server);

  expect(await me.json()).toMatchObject({ user: { name: 'ada' }, permissions: [{ permission: 'ADMIN' }] });
  expect(server.output()).toContain('"msg":"user logged in"');
  expect(server.output()).not.toContain(password);
  expect(server.output()).not.toContain(cookie.slice(-20));
});

test('warns once if there is neither a user nor an admin token, and names the variables to set', async () => {
  const emptyName = `${name}_empty`;
  await createDatabase(emptyName);
  const warnings = async (variables: Record<string, string>) => {
    const server = await startProcess({ DATABASE_URL: getDatabaseUrl(emptyName), ...variables });
    await stopProcess(server);
    return jsonLines(server.output()).filter(line => line.msg === 'no user or admin token found');
  };

  const without = await warnings({});
  const withToken = await warnings({ HALYARD_INIT_ADMIN_TOKENS: TOKEN });
  await dropDatabase(emptyName);

  expect(without).toMatchObject([
    {
      level: 40,
      remedy: expect.stringMatching(
        /HALYARD_INIT_ADMIN_USERNAME and HALYARD_INIT_ADMIN_PASSWORD, or HALYARD_INIT_ADMIN_TOKENS/,
      ),
    },
  ]);
  expect(withToken).toEqual([]);
});

/** Shared by the tests that leave the server unchanged, because each start takes 1 s of CPU time. */
let sharedServer: RunningServer | undefined;
/** Strings that must not be in the shared server's log. The log is complete only after the server has stopped. */
const unloggedStrings = [TOKEN];
afterAll(async () => {
  if (!sharedServer) return;
  await stopProcess(sharedServer);
  for (const text of unloggedStrings) expect(sharedServer.output()).not.toContain(text.slice(-20));
});

async function getSharedServer(): Promise<RunningServer> {
  sharedServer ??= await startProcess(env);
  return sharedServer;
}

test('logs the id of each request but no token, wherever the token was sent', async () => {
  const server = await getSharedServer();
  const creation = await (
    await send(server, '/api/admin/api-tokens', {
      method: 'POST',
      body: JSON.stringify({ tokenName: 'logged', type: 'backend', environment: 'production' }),
    })
  ).json();
  const { secret } = creation as { secret: string };
  unloggedStrings.push(secret);

  const responses = [
    await send(server, `/api/admin/api-tokens/${encodeURIComponent(secret)}`, { method: 'DELETE' }),
    await fetch(`${server.url}/api/admin/user?token=${encodeURIComponent(secret)}`, {
      headers: { authorization: secret },
    }),
    await fetch(`${server.url}/nowhere/${encodeURIComponent(secret)}`, { headers: { 'x-token': secret } }),
  ];

  expect(responses.map(response => response.status)).toEqual([200, 401, 404]);
  for (const response of responses)
    await expect.poll(() => server.output()).toContain(response.headers.get('x-request-id'));
  for (const text of unloggedStrings) expect(server.output()).not.toContain(text.slice(-20));
});

const jsonLines = (text: string): { level: number; msg: string }[] =>
  text
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line));

test('the server survives a database outage, reports it, and recovers', async () => {
  const server = await getSharedServer();
  const admin = new pg.Client({ connectionString: getDatabaseUrl('postgres') });
  await admin.connect();
  const disconnectSql = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;

  const loggedLength = server.output().length;
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query(disconnectSql);
  const ready = async () => await (await send(server, '/ready')).json();
  await expect.poll(ready).toEqual({ health: 'GOOD', database: 'BAD', writes: 'BAD' });
  const statusesDuring = [(await send(server, '/ready')).status, (await send(server, '/health')).status];
  const rejectedResponse = await send(server, '/api/admin/user');
  const rejection = await rejectedResponse.json();
  await send(server, '/api/admin/user');
  const lines = jsonLines(server.output().slice(loggedLength));
  await admin.query(`alter database ${name} allow_connections true`);
  await admin.end();

  expect(statusesDuring).toEqual([200, 200]);
  expect([rejectedResponse.status, rejection]).toMatchObject([503, { name: 'ServiceUnavailableError' }]);
  expect(rejectedResponse.headers.get('retry-after')).toBe('2');
  await expect.poll(ready).toEqual({ health: 'GOOD', database: 'GOOD', writes: 'GOOD' });
  expect((await send(server, '/api/admin/user')).status).toBe(200);
  // Each part of the server logs its failure only once, and 503 responses are not logged as server errors.
  const failures = lines.filter(line => line.level >= 40).map(line => line.msg);
  expect(failures).toEqual([...new Set(failures)]);
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, msg: 'request failed' }));
});

test('disconnects a client that sends its headers or body too slowly, while others are served', async () => {
  const server = await getSharedServer();
  const slowHead = connect(server.port, '127.0.0.1', () =>
    slowHead.write('GET /health HTTP/1.1\r\nx-slow: '),
  );
  const slowBody = connect(server.port, '127.0.0.1', () =>
    slowBody.write(
      `POST /api/admin/projects HTTP/1.1\r\nhost: x\r\nauthorization: ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    ),
  );
  const responses = { head: '', body: '' };
  slowHead.on('data', chunk => {
    responses.head += chunk;
  });
  slowBody.on('data', chunk => {
    responses.body += chunk;
  });
  const drip = setInterval(() => slowHead.writable && slowHead.write('x'), 500);
  const bothClosed = Promise.all([once(slowHead, 'close'), once(slowBody, 'close')]);

  expect((await send(server, '/api/admin/user')).status).toBe(200);
  await bothClosed;
  clearInterval(drip);

  for (const response of Object.values(responses)) {
    expect(response).toMatch(/^HTTP\/1\.1 408/);
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ name: 'BadDataError' });
  }
});

// Other systems allow fewer waiting connections.
test.skipIf(process.platform !== 'linux')(
  'connections that arrive at the same time while the server is busy are all established, and served',
  async () => {
    const server = await getSharedServer();
    let [connected, served] = [0, 0];
    server.process.kill('SIGSTOP');
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = connect(server.port, '127.0.0.1', () => {
        connected++;
        socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
      });
      return socket.once('data', () => served++);
    });

    await expect.poll(() => connected).toBe(1_000);
    server.process.kill('SIGCONT');
    await expect.poll(() => served).toBe(1_000);
    for (const socket of sockets) socket.destroy();
  },
);

test.each([
  ['nonsense', 'NONSENSE\r\n\r\n', 400],
  ['headers of 20 kB', `GET / HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('responds to %s in the error format', async (_case, text, status) => {
  const server = await getSharedServer();
  const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
  let response = '';
  socket.on('data', chunk => {
    response += chunk;
  });

  await once(socket, 'close');

  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
  expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    id: expect.any(String),
    name: 'BadDataError',
    details: [{ message: expect.any(String) }],
  });
});

test('does not log an error when a client closes the connection in the middle of a body', async () => {
  const server = await startProcess({ ...env, LOG_LEVEL: 'info' });
  let closeAfterMs = 0;
  const closeInTheMiddle = async () => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /api/admin/projects HTTP/1.1\r\nhost: localhost\r\nauthorization: ${TOKEN}\r\n` +
        'content-type: application/json\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n',
    );
    expect(String(await once(socket, 'data'))).toContain('100 Continue');
    socket.write('{"name":');
    closeAfterMs += 20;
    await sleep(closeAfterMs);
    socket.destroy();
    return server.output();
  };

  // The server must have begun to read the body. A test cannot tell when that happens, so each attempt waits longer.
  await expect.poll(closeInTheMiddle).toMatch(/request (rejected|failed)/);
  await stopProcess(server);
  expect(server.output()).not.toMatch(/"level":[56]0/);
});
