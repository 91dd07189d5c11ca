import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startLoadBalancer } from '../../console/e2e/support/server.ts';
import {
  api,
  createPerson,
  createProject,
  json,
  onTerminal,
  run,
  runExpectingFailure,
  server,
  start,
  unique,
} from './support/run.ts';

/** Creates a token for a user without permissions. */
async function createViewerToken(): Promise<string> {
  const { username, password } = await createPerson(api);
  const login = await fetch(`${server.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username, password }),
  });
  const response = await fetch(`${server.url}/api/admin/user/tokens`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: String(login.headers.getSetCookie()[0]?.split(';')[0]),
    },
    body: JSON.stringify({ description: 'cli', expiresAt: new Date(Date.now() + 3_600_000).toISOString() }),
  });
  return ((await response.json()) as { secret: string }).secret;
}

/** Returns a URL at which nothing listens any more. */
async function closedServerUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

test('wrong usage exits with 2 and suggests a correction', async () => {
  expect(await runExpectingFailure(['flgs'])).toMatchObject({
    exit: 2,
    code: 'UsageError',
    message: expect.stringContaining('Did you mean `flags`?'),
    retryable: false,
    id: null,
  });
  expect(await runExpectingFailure(['flags', 'list', '--limt', '3'])).toMatchObject({
    exit: 2,
    message: 'There is no option --limt. Did you mean --limit?',
  });
  expect(await runExpectingFailure(['flags', 'list', '-n', '0'])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('from 1 to 1000'),
  });
  expect(await runExpectingFailure(['flags', 'on'])).toMatchObject({
    exit: 2,
    message: 'The argument <flag> is missing.',
  });
  expect(await runExpectingFailure(['flags', 'create', 'x'])).toMatchObject({
    exit: 2,
    message: 'No project was given.',
  });
  expect(await runExpectingFailure(['api', 'GET', 'https://example.com/'])).toMatchObject({ exit: 2 });
  expect(await runExpectingFailure(['api', 'GET', '//example.com/'])).toMatchObject({ exit: 2 });
  expect(await runExpectingFailure(['flags', 'on', 'x', '--env', 'production'])).toMatchObject({
    message: 'There is no option --env. Did you mean --environment?',
  });
  expect(await runExpectingFailure(['login', '--token', 'x'])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('standard input'),
  });
});

test('an invalid value that the server rejects exits with 2 and lists every violation', async () => {
  const project = await createProject(api);

  const error = await runExpectingFailure([
    'flags',
    'create',
    'not a name',
    '-p',
    project,
    '--type',
    'nonsense',
  ]);

  expect(error).toMatchObject({ exit: 2, code: 'BadDataError', retryable: false, id: expect.any(String) });
  expect(error.details?.length).toBeGreaterThan(1);
});

test('a wrong token, no token and a missing permission exit with 3', async () => {
  const viewer = await createViewerToken();

  expect(
    await runExpectingFailure(['projects', 'list'], { env: { HALYARD_TOKEN: 'user:wrong' } }),
  ).toMatchObject({
    exit: 3,
    code: 'AuthenticationRequired',
    hint: expect.stringContaining('halyard login'),
  });
  expect(
    await runExpectingFailure(['projects', 'list'], { env: { HALYARD_TOKEN: '', HALYARD_SERVER: '' } }),
  ).toMatchObject({ exit: 3, code: 'NotLoggedIn' });
  expect(
    await runExpectingFailure(['projects', 'create', `p-${unique()}`], { env: { HALYARD_TOKEN: viewer } }),
  ).toMatchObject({ exit: 3, code: 'NoAccessError', id: expect.any(String) });
  expect(await json(['whoami'], { env: { HALYARD_TOKEN: viewer } })).toMatchObject({ permissions: [] });
});

test('an agent cannot delegate, and needs a project and a limit', async () => {
  const project = await createProject(api);
  const owner = { HALYARD_TOKEN: await createViewerToken() };
  const delegate = ['tokens', 'delegate', 'cleaner', '--agent', '-p', project, '--max-changes', '2'];
  const { secret } = await json<{ secret: string }>(delegate, { env: owner });
  const agent = { HALYARD_TOKEN: secret };

  expect(await json(['whoami'], { env: agent })).toMatchObject({
    token: { kind: 'agent', scope: { projects: [project], maxChanges: 2 }, changesLeft: 2 },
  });
  expect(await runExpectingFailure(delegate, { env: agent })).toMatchObject({
    exit: 3,
    code: 'NoAccessError',
  });
  expect(
    await runExpectingFailure(['tokens', 'delegate', 'cleaner', '--agent'], { env: owner }),
  ).toMatchObject({
    exit: 2,
    message: 'An agent needs a project.',
  });
  expect(await runExpectingFailure(delegate.slice(0, -2), { env: owner })).toMatchObject({
    exit: 2,
    message: 'An agent needs a limit on its number of changes.',
  });
});

test('an unknown name or id exits with 4', async () => {
  expect(await runExpectingFailure(['flags', 'show', `no-${unique()}`])).toMatchObject({
    exit: 4,
    code: 'NotFoundError',
  });
  expect(await runExpectingFailure(['events', 'show', '999999999'])).toMatchObject({
    exit: 4,
    id: expect.any(String),
  });
  expect(await runExpectingFailure(['projects', 'list', '--profile', 'nobody'])).toMatchObject({ exit: 4 });
});

test('rejects a name that would lead to a different URL', async () => {
  const project = await createProject(api);

  for (const flag of ['..', '.', '']) {
    const options = ['--project', project, '--yes'];
    expect(await runExpectingFailure(['flags', 'archive', flag, ...options])).toMatchObject({
      exit: 2,
      code: 'UsageError',
    });
    expect(await runExpectingFailure(['flags', 'archive', flag, ...options, '--dry-run'])).toMatchObject({
      exit: 2,
    });
  }
  expect(await runExpectingFailure(['flags', 'on', 'x', '-p', project, '-e', '..'])).toMatchObject({
    exit: 2,
    message: '".." is not a valid name.',
  });
  for (const path of ['features/..', 'features/%2E%2e', 'x\\..'])
    expect(
      await runExpectingFailure(['api', 'DELETE', `/api/admin/projects/${project}/${path}`]),
    ).toMatchObject({
      exit: 2,
    });

  expect((await run(['projects', 'show', project])).code).toBe(0);
});

test('a malformed token is not printed', async () => {
  const error = await runExpectingFailure(['projects', 'list'], {
    env: { HALYARD_TOKEN: 'user:hidden\nsecond' },
  });

  expect(error).toMatchObject({ exit: 2, code: 'UsageError', retryable: false });
  expect(JSON.stringify(error)).not.toContain('hidden');
});

test('a taken name exits with 5', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);

  expect(await runExpectingFailure(['flags', 'create', flag, '-p', project])).toMatchObject({
    exit: 5,
    code: 'NameExistsError',
    retryable: false,
  });
});

test('a failed check exits with 10 and still prints its result', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);

  const { code, stdout } = await run(['flags', 'explain', flag, '-e', 'production', '--check', 'enabled']);

  expect(code).toBe(10);
  expect(JSON.parse(stdout).features[0].isEnabled).toBe(false);
  expect((await run(['projects', 'health', project, '--min', '100'])).code).toBe(0);
});

test('distinguishes an unreachable server from a server that is not Halyard', async () => {
  const otherServer = createServer((_request, response) => response.end('<html>hello</html>')).listen(
    0,
    '127.0.0.1',
  );
  await once(otherServer, 'listening');
  const { port } = otherServer.address() as AddressInfo;

  expect(
    await runExpectingFailure(['projects', 'list'], { env: { HALYARD_SERVER: await closedServerUrl() } }),
  ).toMatchObject({
    exit: 1,
    code: 'Unreachable',
    retryable: true,
    message: expect.stringContaining('nothing is listening there'),
  });
  expect(
    await runExpectingFailure(['login', '--server', `http://127.0.0.1:${port}`], { input: 'user:token' }),
  ).toMatchObject({ exit: 2, message: expect.stringContaining('is not a Halyard server') });
  otherServer.close();
});

test('a token is not sent to the target of a redirect', async () => {
  const authorizations: (string | undefined)[] = [];
  const target = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const location = `http://localhost:${(target.address() as AddressInfo).port}/api/admin/projects`;
  const redirectingServer = createServer((_request, response) =>
    response.writeHead(302, { location }).end(),
  ).listen(0, '127.0.0.1');
  await once(redirectingServer, 'listening');

  const error = await runExpectingFailure(['projects', 'list'], {
    env: { HALYARD_SERVER: `http://127.0.0.1:${(redirectingServer.address() as AddressInfo).port}` },
  });

  expect(error.message).toContain('redirects to');
  expect(authorizations).toEqual([]);
  target.close();
  redirectingServer.close();
});

test('a write whose response is lost is carried out only once', async () => {
  const loadBalancer = await startLoadBalancer({ url: server.url });
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  loadBalancer.responsesToLose = 1;

  const created = await json<{ name: string }>(['flags', 'create', flag, '-p', project], {
    env: { HALYARD_SERVER: loadBalancer.url },
  });

  expect(created.name).toBe(flag);
  expect(await json(['events', 'search', '--flag', flag])).toMatchObject({ total: 1 });
  await loadBalancer.close();
});

test('Ctrl+C exits with 130', async () => {
  const tail = start(['events', 'tail', '--after', '0']);
  await expect.poll(() => tail.output.stdout).toContain('\n');
  tail.child.kill('SIGINT');

  const { code, stderr } = await tail.completion;

  expect(code).toBe(130);
  expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
    error: { code: 'Interrupted' },
  });
});

test('Ctrl+C prints no error on a terminal', async () => {
  const tail = start(['events', 'tail', '--after', '0', '--output', 'text']);
  await expect.poll(() => tail.output.stdout).toContain('\n');
  tail.child.kill('SIGINT');

  expect(await tail.completion).toMatchObject({ code: 130, stderr: 'Interrupted.\n' });
});

test('closing the pipe ends the command quietly', async () => {
  const tail = start(['events', 'export']);
  tail.child.stdout?.destroy();

  const { code, stderr } = await tail.completion;

  expect(stderr).toBe('');
  expect(code).toBe(0);
});

test('a destructive command requires the name as confirmation, or --yes', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);

  expect(await runExpectingFailure(['flags', 'archive', flag])).toMatchObject({
    exit: 2,
    code: 'ConfirmationRequired',
    hint: expect.stringContaining('--yes'),
  });
  const wrongName = await onTerminal(['flags', 'archive', flag], {
    answers: [['to confirm', 'something else\r']],
  });
  expect(wrongName.code).toBe(2);
  expect(wrongName.stdout).toContain('Nothing was changed');
  expect(await json(['flags', 'show', flag])).toMatchObject({ archived: false });
  const rightName = await onTerminal(['flags', 'archive', flag], { answers: [['to confirm', `${flag}\r`]] });
  expect(rightName.stdout).toContain(`Archived flag "${flag}"`);
  expect(await json(['flags', 'show', flag])).toMatchObject({ archived: true });
});
