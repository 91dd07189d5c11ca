import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  api,
  createPerson,
  createProject,
  fails,
  home,
  json,
  onTerminal,
  run,
  server,
  start,
  unique,
} from './support/run.ts';

const ENV = { HALYARD_SERVER: undefined, HALYARD_TOKEN: undefined, BROWSER: 'none' };
const ORIGIN = { origin: server.url };

/** The browser of a person who is logged in to the console. */
async function openBrowser() {
  const { username, password } = await createPerson(api);
  const login = await fetch(`${server.url}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ORIGIN },
    body: JSON.stringify({ username, password }),
  });
  const cookie = String(login.headers.getSetCookie()[0]?.split(';')[0]);
  const token = { description: 'laptop', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
  return {
    username,
    decide: async (asked: object, allow: boolean) => {
      const response = await fetch(`${server.url}/api/admin/user/authorizations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...ORIGIN },
        body: JSON.stringify({ ...asked, allow, ...(allow && { token }) }),
      });
      return (await response.json()) as { redirectTo: string };
    },
  };
}

/** Waits until the output matches. */
async function until(printed: { stdout: string; stderr: string }, pattern: RegExp): Promise<string> {
  for (let n = 0; n < 2_000; n++) {
    const found = pattern.exec(printed.stdout + printed.stderr);
    if (found) return String(found[1] ?? found[0]);
    await sleep(50);
  }
  throw new Error(`${pattern} did not appear in: ${printed.stdout}${printed.stderr}`);
}

const profile = (name: string) =>
  JSON.parse(readFileSync(`${home}/halyard/profiles.json`, 'utf8')).profiles[name];

test('login opens the browser, stores the token, and logout revokes it', async () => {
  const browser = await openBrowser();
  const statuses: number[] = [];
  const visit = async (printed: { stdout: string; stderr: string }) => {
    const url = new URL(await until(printed, /(http\S+\/authorize\?\S+)/));
    const forged = new URL(String(url.searchParams.get('redirect_uri')));
    forged.search = `?code=x&state=wrong&iss=${server.url}`;
    statuses.push((await fetch(forged)).status);
    const { redirectTo } = await browser.decide({ query: url.search.slice(1) }, true);
    statuses.push((await fetch(redirectTo)).status);
  };

  const { code, stdout } = await onTerminal(['login', '--server', server.url, '--profile', 'web'], {
    env: ENV,
    meanwhile: visit,
  });

  expect(statuses).toEqual([400, 200]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`Logged in to ${server.url} as ${browser.username}`),
  ]);
  const { token, granted } = profile('web');
  expect(granted).toBe(true);
  expect(stdout).not.toContain(token);
  expect(await json(['whoami', '--profile', 'web'], { env: ENV })).toMatchObject({
    user: { username: browser.username },
    token: { description: 'laptop', kind: 'personal' },
  });
  expect(await json(['logout', '--profile', 'web'], { env: ENV })).toMatchObject({ revoked: true });
  const after = await fetch(`${server.url}/api/admin/user`, { headers: { authorization: token } });
  expect(after.status).toBe(401);
});

test('a denied login exits with 3 and stores nothing', async () => {
  const browser = await openBrowser();

  const { code, stdout } = await onTerminal(['login', '--server', server.url, '--profile', 'denied'], {
    env: ENV,
    meanwhile: async printed => {
      const url = new URL(await until(printed, /(http\S+\/authorize\?\S+)/));
      const { redirectTo } = await browser.decide({ query: url.search.slice(1) }, false);
      await fetch(redirectTo);
    },
  });

  expect([code, stdout]).toEqual([3, expect.stringContaining('denied in the browser')]);
  expect((await run(['whoami', '--profile', 'denied'], { env: ENV })).code).toBe(4);
});

test('login --device shows a code without a terminal, and the pipe for agents uses the profile', async () => {
  const browser = await openBrowser();
  const { printed, ended } = start(['login', '--device', '--server', server.url, '--profile', 'remote'], {
    env: ENV,
  });

  const userCode = await until(printed, /enter the code ([A-Z]{4}-[A-Z]{4})/);
  await browser.decide({ userCode }, true);
  const { code, stdout } = await ended;

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ profile: 'remote', server: server.url, user: browser.username });
  const listed = await run(['mcp', '--profile', 'remote'], {
    env: ENV,
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })}\n`,
  });
  expect(JSON.parse(listed.stdout).result.tools.length).toBeGreaterThan(5);
});

test('login --device ends when the person denies it', async () => {
  const browser = await openBrowser();
  const { printed, ended } = start(['login', '--device', '--server', server.url], { env: ENV });

  await browser.decide({ userCode: await until(printed, /enter the code ([A-Z]{4}-[A-Z]{4})/) }, false);

  expect((await ended).code).toBe(3);
});

test('login names the URL of the server if it is a different one, and rejects contradicting options', async () => {
  const swapped = server.url.includes('localhost')
    ? server.url.replace('localhost', '127.0.0.1')
    : server.url.replace('127.0.0.1', 'localhost');

  expect(await fails(['login', '--device', '--server', swapped], { env: ENV })).toMatchObject({
    exit: 2,
    message: expect.stringContaining("The server's own URL is"),
  });
  expect(
    await fails(['login', '--device', '--with-token', '--server', server.url], { env: ENV }),
  ).toMatchObject({ exit: 2 });
});

test.each([
  ['elsewhere', { device_authorization_endpoint: 'https://elsewhere.example/device' }],
  ['that is missing', { authorization_endpoint: undefined }],
])('login rejects a server with an endpoint %s', async (_, changes) => {
  let url = '';
  const other = createServer((_request, response) => {
    const endpoints = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/oauth/token`,
      device_authorization_endpoint: `${url}/oauth/device_authorization`,
      ...changes,
    };
    response.end(JSON.stringify(endpoints));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

  const error = await fails(['login', '--device', '--server', url], { env: ENV });

  expect(error).toMatchObject({
    exit: 1,
    message: expect.stringContaining('The server names an endpoint elsewhere'),
  });
  other.close();
});

test('flags list exits with 4 and names a project that does not exist', async () => {
  const project = await createProject(api);
  const missing = `missing-${unique()}`;

  expect(await fails(['flags', 'list', '--project', missing])).toMatchObject({
    exit: 4,
    message: expect.stringContaining(`"${missing}"`),
  });
  expect(await json(['flags', 'list', '--project', project])).toMatchObject({ total: 0 });
});

test('mcp --project offers one project only', async () => {
  const [shown, hidden] = [await createProject(api), await createProject(api)];
  const line = (id: number, args: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'create_flag', arguments: args },
    });
  const [inside, outside] = [`inside-${unique()}`, `outside-${unique()}`];

  const { stdout } = await run(['mcp', '--project', shown], {
    input: `${line(1, { name: inside, project: shown })}\n${line(2, { name: outside, project: hidden })}\n`,
  });

  const [first, second] = stdout
    .trim()
    .split('\n')
    .map(text => JSON.parse(text).result);
  expect(first.structuredContent.flag).toBe(inside);
  expect(second.isError).toBe(true);
});
