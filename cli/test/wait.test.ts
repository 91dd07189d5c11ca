import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  api,
  createProject,
  json,
  onTerminal,
  run,
  runExpectingFailure,
  server,
  start,
  unique,
} from './support/run.ts';

/** Creates a project with an enabled flag, and a token for SDKs that get the flag. */
async function createEnabledFlag() {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);
  await json(['flags', 'on', flag, '-e', 'development']);
  const { secret } = await json<{ secret: string }>([
    ...['tokens', 'create', `token-${unique()}`, '-e', 'development', '-p', project],
  ]);
  return { project, flag, secret };
}

/** Polls as an SDK does. Returns the ETag for the next poll. */
async function poll(secret: string, etag?: string): Promise<string> {
  const response = await fetch(`${server.url}/api/client/features`, {
    headers: {
      authorization: secret,
      'unleash-connection-id': secret.slice(-12),
      'unleash-appname': 'shop',
      'unleash-instanceid': 'pod-1',
      ...(etag !== undefined && { 'if-none-match': etag }),
    },
  });
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}

/** Registers an SDK instance that is up to date, and returns its ETag. */
async function registerInstance(secret: string, flag: string): Promise<string> {
  const { events } = await api.send<{ events: { id: number }[] }>(
    'GET',
    `/api/admin/search/events?feature=IS:${flag}&limit=1`,
  );
  for (;;) {
    const etag = await poll(secret, await poll(secret));
    const reach = await api.send<{ state: string }>('GET', `/api/admin/events/${events[0]?.id}/reach`);
    if (reach.state === 'live') return etag;
    await sleep(100);
  }
}

test('--wait says when the change is live everywhere', async () => {
  const { flag, secret } = await createEnabledFlag();
  let etag = await registerInstance(secret, flag);
  let isPolling = true;
  onTestFinished(() => {
    isPolling = false;
  });
  const pollLoop = (async () => {
    while (isPolling) {
      etag = await poll(secret, etag);
      await sleep(100);
    }
  })();

  const { code, stdout } = await onTerminal(['flags', 'off', flag, '-e', 'development', '--wait', '300']);

  expect(stdout).toMatch(
    /is disabled in development\.\n(.* Waiting\.\n)*Live everywhere since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n/,
  );
  expect(code).toBe(0);
  // With JSON output, the document is the same as without --wait.
  const jsonResult = await run(['flags', 'on', flag, '-e', 'development', '--wait', '300']);
  expect({ ...jsonResult, stdout: JSON.parse(jsonResult.stdout) }).toMatchObject({
    code: 0,
    stderr: '',
    stdout: { name: 'development', enabled: true },
  });
  isPolling = false;
  await pollLoop;
});

test('--wait exits with 10 and names the instances that are behind', async () => {
  const { flag, secret } = await createEnabledFlag();
  await registerInstance(secret, flag);

  const { code, stdout, stderr } = await run(['flags', 'off', flag, '-e', 'development', '--wait', '1']);

  expect(JSON.parse(stdout)).toMatchObject({ enabled: false });
  expect(code).toBe(10);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'NotLive',
      retryable: false,
      message: 'The change was made, but after 1 second, 1 of 1 instance does not have the change yet.',
      details: [{ application: 'shop', instance: 'pod-1', environment: 'development' }],
    },
  });

  const waitingCommand = start(['flags', 'on', flag, '-e', 'development', '--wait', '600']);
  while (waitingCommand.output.stdout === '') await sleep(20);
  waitingCommand.child.kill('SIGINT');
  const result = await waitingCommand.completion;
  expect(result.code).toBe(130);
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { code: 'Interrupted', message: expect.stringMatching(/^The change was made/) },
  });

  // If a command makes several changes, only the last change in each environment counts.
  const args = ['flags', 'archive', flag, '--yes', '--wait', '1'];
  const { stdout: text, code: archiveCode } = await onTerminal(args);
  expect(text).toContain('shop, instance pod-1, in development: last heard from');
  expect(archiveCode).toBe(10);
});

test('--wait ends immediately if no SDK can notice the change', async () => {
  const { flag, project } = await createEnabledFlag();

  const secondRun = await onTerminal(['flags', 'on', flag, '-e', 'development', '--wait', '3600']);
  expect(secondRun.stdout).toContain('Nothing that SDKs get has changed, so there is nothing to wait for.');
  expect(secondRun.code).toBe(0);
  const tokenRun = await run([
    'tokens',
    'create',
    `token-${unique()}`,
    '-e',
    'development',
    '--wait',
    '3600',
  ]);
  expect(tokenRun.code).toBe(0);
  const offRun = await onTerminal(['flags', 'off', flag, '-e', 'development', '--wait', '3600']);
  expect(offRun.stdout).toContain('No known SDK instance gets this change');
  expect(offRun.code).toBe(0);
  const command = ['api', 'POST', `/api/admin/projects/${project}/features`, '-d', '{"name":"x"}'];
  expect(await json([...command, '--dry-run', '--wait', '3600'])).toMatchObject({ dryRun: true });
  expect(await runExpectingFailure(['flags', 'on', flag, '-e', 'development', '--wait', '0'])).toMatchObject({
    exit: 2,
  });
});
