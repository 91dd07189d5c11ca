import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startSdk } from '../../server/src/test/sdk-client.ts';
import { buildState, evaluate, listCases, SPECIFICATIONS } from '../../server/src/test/specification.ts';
import { api, createProject, json, runExpectingFailure, server, start, unique } from './support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'halyard-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Starts `halyard dev` and waits until it listens. */
async function startDev(args: string[], env: Record<string, string | undefined> = {}) {
  const program = start(['dev', '--port', '0', ...args], { env: { XDG_CACHE_HOME: folder, ...env } });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  while (!program.output.stdout.includes('\n')) {
    if (program.child.exitCode !== null) throw new Error(program.output.stderr);
    await sleep(20);
  }
  const listening = JSON.parse(program.output.stdout.split('\n')[0] ?? '') as {
    url: string;
    flags: number;
    overrides: number;
  };
  return { ...program, ...listening, url: listening.url.replace('localhost', '127.0.0.1') };
}

const waitUntil = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await sleep(50);
};

const flag = (name: string, enabled: boolean, rest = {}) => ({
  name,
  enabled,
  strategies: [{ name: 'default', parameters: {}, constraints: [] }],
  variants: [],
  ...rest,
});

test('passes the client specification', async () => {
  let caseCount = 0;
  for (const specification of SPECIFICATIONS) {
    const flagsFile = write(`${specification.name}.json`, JSON.stringify(buildState(specification)));
    const dev = await startDev(['--from', flagsFile, '--overrides', join(folder, 'none.yaml')]);
    const sdk = await startSdk(dev.url, '*:development.any-token', 'polling');

    const results = evaluate(sdk, specification);

    sdk.destroy();
    dev.child.kill('SIGINT');
    expect((await dev.completion).code).toBe(130);
    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
    caseCount += results.length;
  }
  expect(caseCount).toBe(SPECIFICATIONS.flatMap(listCases).length);
  expect(caseCount).toBe(279);
}, 300_000);

test("serves a server's flags with local overrides, even offline", async () => {
  const project = await createProject(api);
  const [enabledFlag, disabledFlag] = [`on-${unique()}`, `off-${unique()}`];
  for (const name of [enabledFlag, disabledFlag]) await json(['flags', 'create', name, '-p', project]);
  await json(['flags', 'on', enabledFlag, '-e', 'development']);
  const { secret } = await json<{ secret: string }>([
    ...['tokens', 'create', `token-${unique()}`, '-e', 'development', '-p', project],
  ]);
  const file = write('flags.local.yaml', '');
  const args = ['--overrides', file];
  const dev = await startDev(args, { HALYARD_SDK_TOKEN: secret });
  expect(dev).toMatchObject({ flags: 2, overrides: 0 });
  const sdk = await startSdk(dev.url, secret, 'streaming');
  onTestFinished(() => sdk.destroy());
  expect([sdk.isEnabled(enabledFlag), sdk.isEnabled(disabledFlag)]).toEqual([true, false]);

  write(
    'flags.local.yaml',
    `# mine\n${enabledFlag}: false\n${disabledFlag}: { variant: red, payload: hello }\nonly-here: true\n`,
  );
  await waitUntil(() => sdk.isEnabled('only-here'));
  expect([sdk.isEnabled(enabledFlag), sdk.isEnabled(disabledFlag)]).toEqual([false, true]);
  expect(sdk.getVariant(disabledFlag)).toMatchObject({
    name: 'red',
    payload: { type: 'string', value: 'hello' },
  });

  // The command reports an error in the file, and the flags stay unchanged.
  write('flags.local.yaml', `${enabledFlag}: maybe\n`);
  await waitUntil(() => dev.output.stdout.includes('"problem"'));
  expect(dev.output.stdout).toContain('must be true, false, or { variant: name, payload: string }');
  expect(sdk.isEnabled('only-here')).toBe(true);
  write('flags.local.yaml', '');
  await waitUntil(() => sdk.isEnabled(enabledFlag));

  // Changes on the server arrive as well.
  await json(['flags', 'on', disabledFlag, '-e', 'development']);
  await waitUntil(() => sdk.isEnabled(disabledFlag));

  dev.child.kill('SIGINT');
  await dev.completion;
  const offlineEnv = { HALYARD_SDK_TOKEN: secret, HALYARD_SERVER: server.url };
  const offline = await startDev([...args, '--offline'], offlineEnv);
  expect(offline).toMatchObject({ flags: 2 });
  const otherSdk = await startSdk(offline.url, 'another-token', 'polling');
  expect(otherSdk.isEnabled(disabledFlag)).toBe(true);
  otherSdk.destroy();
});

test('a flag that exists only in the overrides has every field that SDKs require', async () => {
  const flagsFile = write('empty.json', JSON.stringify({ features: [] }));
  const dev = await startDev([
    '--from',
    flagsFile,
    '--overrides',
    write('new.yaml', 'my-next-idea: false\n'),
  ]);

  const response = await fetch(`${dev.url}/api/client/features`, { headers: { authorization: 'any-token' } });

  expect(await response.json()).toMatchObject({
    features: [{ name: 'my-next-idea', enabled: false, strategies: [], variants: [], dependencies: [] }],
  });
});

test('names HALYARD_SDK_TOKEN if the server rejects the token, or if the token was copied from an example', async () => {
  expect(
    await runExpectingFailure(['dev'], { env: { HALYARD_SDK_TOKEN: '*:development.unknown' } }),
  ).toMatchObject({
    hint: 'Check HALYARD_SDK_TOKEN.',
  });
  expect(
    await runExpectingFailure(['dev'], { env: { HALYARD_SDK_TOKEN: 'shop:development.…' } }),
  ).toMatchObject({
    exit: 2,
    message:
      'HALYARD_SDK_TOKEN contains "…", which stands for the secret in examples. Replace it with your token.',
  });
});

test('rejects override changes from other origins', async () => {
  const flagsFile = write(
    'page.json',
    JSON.stringify({ features: [flag('shop', false), flag('other', true)] }),
  );
  const file = write('page.yaml', '# keep this comment\nother: false # and this\n');
  const dev = await startDev(['--from', flagsFile, '--overrides', file]);
  const { port } = new URL(dev.url);
  const put = (headers: Record<string, string>, body: unknown = { name: 'shop', override: true }) =>
    send(
      dev.url,
      'PUT',
      '/dev/overrides',
      { 'content-type': 'application/json', ...headers },
      JSON.stringify(body),
    );

  expect((await put({ host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
  expect((await put({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await put({ origin: 'http://localhost:3000' })).status).toBe(403);
  expect((await put({ origin: 'null' })).status).toBe(403);
  expect((await put({ 'content-type': 'text/plain' })).status).toBe(415);
  for (const body of [
    { name: '', override: true },
    { name: 'shop', override: 'on' },
    {},
    null,
    'x'.repeat(70_000),
  ])
    expect((await put({}, body)).status).toBe(400);
  expect(readFileSync(file, 'utf8')).not.toContain('shop');

  const ownPageResponse = await put({ host: `localhost:${port}`, origin: `http://localhost:${port}` });
  expect(ownPageResponse.status).toBe(200);
  expect(readFileSync(file, 'utf8')).toBe('# keep this comment\nother: false # and this\nshop: true\n');
  const sdk = await startSdk(dev.url, 'token', 'polling');
  expect([sdk.isEnabled('shop'), sdk.isEnabled('other')]).toEqual([true, false]);
  sdk.destroy();
  expect((await put({}, { name: 'other', override: null })).status).toBe(200);
  expect(await (await fetch(`${dev.url}/dev/flags`)).json()).toMatchObject({
    flags: [
      { name: 'other', enabled: true, variants: [] },
      { name: 'shop', enabled: false, override: true },
    ],
  });

  const page = await fetch(dev.url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  // Pages of other sites cannot read flags either, even with DNS rebinding. Pages that the developer serves locally can.
  for (const path of ['/', '/dev/flags', '/api/client/features', '/api/frontend']) {
    expect((await send(dev.url, 'GET', path, { host: 'evil.example:4243' })).status).toBe(403);
    expect((await send(dev.url, 'GET', path, { origin: 'https://evil.example' })).status).toBe(403);
  }
  const frontend = await send(dev.url, 'GET', '/api/frontend', { origin: 'http://localhost:3000' });
  expect(frontend.status).toBe(200);
  expect(JSON.parse(frontend.body).toggles).toMatchObject([{ name: 'other' }, { name: 'shop' }]);
});

/** Sends a request with any Host and Origin, which `fetch` does not allow. */
async function send(url: string, method: string, path: string, headers: Record<string, string>, body = '') {
  const clientRequest = request(new URL(path, url), { method, headers, agent: false });
  clientRequest.end(body);
  const [response] = await once(clientRequest, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode as number, body: text };
}

test('says why it cannot start', async () => {
  expect(await runExpectingFailure(['dev'], { env: { HALYARD_SDK_TOKEN: undefined } })).toMatchObject({
    exit: 2,
    message: 'HALYARD_SDK_TOKEN is not set.',
  });
  const env = { HALYARD_SDK_TOKEN: '*:development.unknown', XDG_CACHE_HOME: folder };
  expect(await runExpectingFailure(['dev', '--offline'], { env })).toMatchObject({
    exit: 1,
    hint: expect.stringContaining('once'),
  });
  expect(await runExpectingFailure(['dev'], { env })).toMatchObject({
    exit: 3,
    code: 'AuthenticationRequired',
  });
  expect(await runExpectingFailure(['dev', '--server', 'http://127.0.0.1:1'], { env })).toMatchObject({
    exit: 1,
    code: 'Unreachable',
  });
  expect(await runExpectingFailure(['dev', '--from', join(folder, 'missing')], { env })).toMatchObject({
    exit: 2,
  });
  const invalidFile = write('bad.yaml', 'a: [');
  const flagsFile = write('empty.json', '{"features":[]}');
  expect(
    await runExpectingFailure(['dev', '--from', flagsFile, '--overrides', invalidFile], { env }),
  ).toMatchObject({
    exit: 2,
    message: expect.stringContaining('is not valid YAML'),
  });
  const running = await startDev(['--from', flagsFile]);
  const { port } = new URL(running.url);
  expect(await runExpectingFailure(['dev', '--from', flagsFile, '--port', port], { env })).toMatchObject({
    exit: 1,
    message: `Port ${port} is in use.`,
  });
});
