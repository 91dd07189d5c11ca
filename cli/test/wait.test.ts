import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { api, createProject, fails, json, onTerminal, run, server, start, unique } from './support/run.ts';

/** A project with an enabled flag, and a token for SDKs that get it. */
async function setUp() {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);
  await json(['flags', 'on', flag, '-e', 'development']);
  const { secret } = await json<{ secret: string }>([
    ...['tokens', 'create', `token-${unique()}`, '-e', 'development', '-p', project],
  ]);
  return { project, flag, secret };
}

/** One poll of an SDK. Returns the ETag that the next one presents. */
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

/** An instance that the server knows, with everything up to now. */
async function instanceOf(secret: string, flag: string): Promise<string> {
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
  const { flag, secret } = await setUp();
  let etag = await instanceOf(secret, flag);
  let isPolling = true;
  onTestFinished(() => {
    isPolling = false;
  });
  const polling = (async () => {
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
  // With JSON output, the document is the same as without the option.
  const on = await run(['flags', 'on', flag, '-e', 'development', '--wait', '300']);
  expect({ ...on, stdout: JSON.parse(on.stdout) }).toMatchObject({
    code: 0,
    stderr: '',
    stdout: { name: 'development', enabled: true },
  });
  isPolling = false;
  await polling;
});

test('--wait names the instances that are behind and exits with 10; Ctrl+C ends it with 130', async () => {
  const { flag, secret } = await setUp();
  await instanceOf(secret, flag);

  const { code, stdout, stderr } = await run(['flags', 'off', flag, '-e', 'development', '--wait', '1']);

  expect(JSON.parse(stdout)).toMatchObject({ enabled: false });
  expect(code).toBe(10);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'NotLive',
      retryable: false,
      message: 'The change was made, but after 1 second 1 of 1 instance does not have the change yet.',
      details: [{ application: 'shop', instance: 'pod-1', environment: 'development' }],
    },
  });

  const waiting = start(['flags', 'on', flag, '-e', 'development', '--wait', '600']);
  while (waiting.printed.stdout === '') await sleep(20);
  waiting.child.kill('SIGINT');
  const ended = await waiting.ended;
  expect(ended.code).toBe(130);
  expect(JSON.parse(ended.stderr)).toMatchObject({
    error: { code: 'Interrupted', message: expect.stringMatching(/^The change was made/) },
  });

  // If a command makes several changes, only the last in each environment counts.
  const words = ['flags', 'archive', flag, '--yes', '--wait', '1'];
  const { stdout: text, code: archived } = await onTerminal(words);
  expect(text).toContain('shop, instance pod-1, in development: last heard from');
  expect(archived).toBe(10);
});

test('--wait ends immediately if no SDK can notice the change', async () => {
  const { flag, project } = await setUp();

  const again = await onTerminal(['flags', 'on', flag, '-e', 'development', '--wait', '3600']);
  expect(again.stdout).toContain('Nothing that SDKs get has changed, so there is nothing to wait for.');
  expect(again.code).toBe(0);
  const created = await run(['tokens', 'create', `token-${unique()}`, '-e', 'development', '--wait', '3600']);
  expect(created.code).toBe(0);
  const off = await onTerminal(['flags', 'off', flag, '-e', 'development', '--wait', '3600']);
  expect(off.stdout).toContain('No known SDK instance gets this change');
  expect(off.code).toBe(0);
  const dry = ['api', 'POST', `/api/admin/projects/${project}/features`, '-d', '{"name":"x"}'];
  expect(await json([...dry, '--dry-run', '--wait', '3600'])).toMatchObject({ dryRun: true });
  expect(await fails(['flags', 'on', flag, '-e', 'development', '--wait', '0'])).toMatchObject({ exit: 2 });
});
