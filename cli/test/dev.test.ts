import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startSdk } from '../../server/src/test/sdk-client.ts';
import { casesOf, evaluate, SPECIFICATIONS, stateOf } from '../../server/src/test/specification.ts';
import { api, createProject, fails, json, server, start, unique } from './support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'halyard-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Starts `halyard dev` and waits until it listens. */
async function startDev(words: string[], env: Record<string, string | undefined> = {}) {
  const started = start(['dev', '--port', '0', ...words], { env: { XDG_CACHE_HOME: folder, ...env } });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  while (!started.printed.stdout.includes('\n')) {
    if (started.child.exitCode !== null) throw new Error(started.printed.stderr);
    await sleep(20);
  }
  const first = JSON.parse(started.printed.stdout.split('\n')[0] ?? '') as {
    url: string;
    flags: number;
    overrides: number;
  };
  return { ...started, ...first, url: first.url.replace('localhost', '127.0.0.1') };
}

const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
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
  let cases = 0;
  for (const specification of SPECIFICATIONS) {
    const from = write(`${specification.name}.json`, JSON.stringify(stateOf(specification)));
    const dev = await startDev(['--from', from, '--overrides', join(folder, 'none.yaml')]);
    const sdk = await startSdk(dev.url, '*:development.any-token', 'polling');

    const results = evaluate(sdk, specification);

    sdk.destroy();
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(130);
    expect(results.filter(({ asSpecified }) => !asSpecified)).toEqual([]);
    cases += results.length;
  }
  expect(cases).toBe(SPECIFICATIONS.flatMap(casesOf).length);
  expect(cases).toBe(279);
}, 300_000);

test('serves the flags of a server, takes overrides from a file, and starts offline', async () => {
  const project = await createProject(api);
  const [on, off] = [`on-${unique()}`, `off-${unique()}`];
  for (const name of [on, off]) await json(['flags', 'create', name, '-p', project]);
  await json(['flags', 'on', on, '-e', 'development']);
  const { secret } = await json<{ secret: string }>([
    ...['tokens', 'create', `token-${unique()}`, '-e', 'development', '-p', project],
  ]);
  const file = write('flags.local.yaml', '');
  const words = ['--overrides', file];
  const dev = await startDev(words, { HALYARD_SDK_TOKEN: secret });
  expect(dev).toMatchObject({ flags: 2, overrides: 0 });
  const sdk = await startSdk(dev.url, secret, 'streaming');
  onTestFinished(() => sdk.destroy());
  expect([sdk.isEnabled(on), sdk.isEnabled(off)]).toEqual([true, false]);

  write(
    'flags.local.yaml',
    `# mine\n${on}: false\n${off}: { variant: red, payload: hello }\nonly-here: true\n`,
  );
  await until(() => sdk.isEnabled('only-here'));
  expect([sdk.isEnabled(on), sdk.isEnabled(off)]).toEqual([false, true]);
  expect(sdk.getVariant(off)).toMatchObject({ name: 'red', payload: { type: 'string', value: 'hello' } });

  // An error changes nothing, and is printed.
  write('flags.local.yaml', `${on}: maybe\n`);
  await until(() => dev.printed.stdout.includes('"problem"'));
  expect(dev.printed.stdout).toContain('must be true, false, or { variant: name, payload: string }');
  expect(sdk.isEnabled('only-here')).toBe(true);
  write('flags.local.yaml', '');
  await until(() => sdk.isEnabled(on));

  // Changes by colleagues arrive too.
  await json(['flags', 'on', off, '-e', 'development']);
  await until(() => sdk.isEnabled(off));

  dev.child.kill('SIGINT');
  await dev.ended;
  const nowhere = { HALYARD_SDK_TOKEN: secret, HALYARD_SERVER: server.url };
  const offline = await startDev([...words, '--offline'], nowhere);
  expect(offline).toMatchObject({ flags: 2 });
  const other = await startSdk(offline.url, 'another-token', 'polling');
  expect(other.isEnabled(off)).toBe(true);
  other.destroy();
});

test('the page changes the file, and only the page does', async () => {
  const from = write('page.json', JSON.stringify({ features: [flag('shop', false), flag('other', true)] }));
  const file = write('page.yaml', '# keep this comment\nother: false # and this\n');
  const dev = await startDev(['--from', from, '--overrides', file]);
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

  const own = await put({ host: `localhost:${port}`, origin: `http://localhost:${port}` });
  expect(own.status).toBe(200);
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

/** A request whose Host and Origin can be anything, which `fetch` does not allow. */
async function send(url: string, method: string, path: string, headers: Record<string, string>, body = '') {
  const sent = request(new URL(path, url), { method, headers, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode as number, body: text };
}

test('says why it cannot start', async () => {
  expect(await fails(['dev'], { env: { HALYARD_SDK_TOKEN: undefined } })).toMatchObject({
    exit: 2,
    message: 'HALYARD_SDK_TOKEN is not set.',
  });
  const env = { HALYARD_SDK_TOKEN: '*:development.unknown', XDG_CACHE_HOME: folder };
  expect(await fails(['dev', '--offline'], { env })).toMatchObject({
    exit: 1,
    hint: expect.stringContaining('once'),
  });
  expect(await fails(['dev'], { env })).toMatchObject({ exit: 3, code: 'AuthenticationRequired' });
  expect(await fails(['dev', '--server', 'http://127.0.0.1:1'], { env })).toMatchObject({
    exit: 1,
    code: 'Unreachable',
  });
  expect(await fails(['dev', '--from', join(folder, 'missing')], { env })).toMatchObject({ exit: 2 });
  const bad = write('bad.yaml', 'a: [');
  const from = write('empty.json', '{"features":[]}');
  expect(await fails(['dev', '--from', from, '--overrides', bad], { env })).toMatchObject({
    exit: 2,
    message: expect.stringContaining('is not valid YAML'),
  });
  const first = await startDev(['--from', from]);
  const { port } = new URL(first.url);
  expect(await fails(['dev', '--from', from, '--port', port], { env })).toMatchObject({
    exit: 1,
    message: `Port ${port} is in use.`,
  });
});
