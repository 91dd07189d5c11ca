import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import {
  api,
  createPerson,
  createProject,
  home,
  json,
  onTerminal,
  run,
  runExpectingFailure,
  server,
  start,
  unique,
} from './support/run.ts';

const ENV = { HALYARD_SERVER: undefined, HALYARD_TOKEN: undefined, BROWSER: 'none' };
const ORIGIN = { origin: server.url };

/** Logs a user in to the console, as in a browser. */
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
    decide: async (requested: object, allow: boolean) => {
      const response = await fetch(`${server.url}/api/admin/user/authorizations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...ORIGIN },
        body: JSON.stringify({ ...requested, allow, ...(allow && { token }) }),
      });
      return (await response.json()) as { redirectTo: string };
    },
  };
}

/** Waits until the output matches, and returns the match. */
async function waitForOutput(output: { stdout: string; stderr: string }, pattern: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    const match = pattern.exec(output.stdout + output.stderr);
    if (match) return String(match[1] ?? match[0]);
    await sleep(50);
  }
  throw new Error(`${pattern} did not appear in: ${output.stdout}${output.stderr}`);
}

const profile = (name: string) =>
  JSON.parse(readFileSync(`${home}/halyard/profiles.json`, 'utf8')).profiles[name];

test('login stores a token from the browser, which logout revokes', async () => {
  const browser = await openBrowser();
  const statuses: number[] = [];
  const visit = async (output: { stdout: string; stderr: string }) => {
    const url = new URL(await waitForOutput(output, /(http\S+\/authorize\?\S+)/));
    const callbackUrl = new URL(String(url.searchParams.get('redirect_uri')));
    // The second state has as many characters as the right state, but more bytes.
    for (const state of ['wrong', 'é'.repeat(String(url.searchParams.get('state')).length)]) {
      callbackUrl.search = String(new URLSearchParams({ code: 'x', state, iss: server.url }));
      statuses.push((await fetch(callbackUrl)).status);
    }
    const { redirectTo } = await browser.decide({ query: url.search.slice(1) }, true);
    statuses.push((await fetch(redirectTo)).status);
  };

  const { code, stdout } = await onTerminal(['login', '--server', server.url, '--profile', 'web'], {
    env: ENV,
    duringRun: visit,
  });

  expect(statuses).toEqual([400, 400, 200]);
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
  const response = await fetch(`${server.url}/api/admin/user`, { headers: { authorization: token } });
  expect(response.status).toBe(401);
});

test('a denied login exits with 3 and stores nothing', async () => {
  const browser = await openBrowser();

  const { code, stdout } = await onTerminal(['login', '--server', server.url, '--profile', 'denied'], {
    env: ENV,
    duringRun: async output => {
      const url = new URL(await waitForOutput(output, /(http\S+\/authorize\?\S+)/));
      const { redirectTo } = await browser.decide({ query: url.search.slice(1) }, false);
      await fetch(redirectTo);
    },
  });

  expect([code, stdout]).toEqual([3, expect.stringContaining('denied in the browser')]);
  expect((await run(['whoami', '--profile', 'denied'], { env: ENV })).code).toBe(4);
});

test('login --device works without a terminal', async () => {
  const browser = await openBrowser();
  const { output, completion } = start(['login', '--device', '--server', server.url, '--profile', 'remote'], {
    env: ENV,
  });

  const userCode = await waitForOutput(output, /enter the code ([A-Z]{4}-[A-Z]{4})/);
  await browser.decide({ userCode }, true);
  const { code, stdout } = await completion;

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ profile: 'remote', server: server.url, user: browser.username });
  const toolList = await run(['mcp', '--profile', 'remote'], {
    env: ENV,
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })}\n`,
  });
  expect(JSON.parse(toolList.stdout).result.tools.length).toBeGreaterThan(5);
});

test('login --device ends when the user denies it', async () => {
  const browser = await openBrowser();
  const { output, completion } = start(['login', '--device', '--server', server.url], { env: ENV });

  await browser.decide(
    { userCode: await waitForOutput(output, /enter the code ([A-Z]{4}-[A-Z]{4})/) },
    false,
  );

  expect((await completion).code).toBe(3);
});

test("login rejects a URL other than the server's own, and --device with --with-token", async () => {
  const otherUrl = server.url.includes('localhost')
    ? server.url.replace('localhost', '127.0.0.1')
    : server.url.replace('127.0.0.1', 'localhost');

  expect(await runExpectingFailure(['login', '--device', '--server', otherUrl], { env: ENV })).toMatchObject({
    exit: 2,
    message: expect.stringContaining("The server's own URL is"),
  });
  expect(
    await runExpectingFailure(['login', '--device', '--with-token', '--server', server.url], { env: ENV }),
  ).toMatchObject({ exit: 2 });
});

test.each([
  [
    'with an endpoint elsewhere',
    { device_authorization_endpoint: 'https://elsewhere.example/device' },
    {
      exit: 1,
      message: 'The server lists a login endpoint on a different server: https://elsewhere.example/device',
    },
  ],
  [
    'without a login endpoint',
    { authorization_endpoint: undefined },
    { exit: 2, message: "The server's metadata lists no login endpoint." },
  ],
])('login rejects a server %s', async (_, changes, expected) => {
  let url = '';
  const otherServer = createServer((_request, response) => {
    const endpoints = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/oauth/token`,
      device_authorization_endpoint: `${url}/oauth/device_authorization`,
      ...changes,
    };
    response.end(JSON.stringify(endpoints));
  }).listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  url = `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}`;

  const error = await runExpectingFailure(['login', '--device', '--server', url], { env: ENV });

  expect(error).toMatchObject(expected);
  otherServer.close();
});

test('flags list exits with 4 and names a project that does not exist', async () => {
  const project = await createProject(api);
  const missingProject = `missing-${unique()}`;

  expect(await runExpectingFailure(['flags', 'list', '--project', missingProject])).toMatchObject({
    exit: 4,
    message: expect.stringContaining(`"${missingProject}"`),
  });
  expect(await json(['flags', 'list', '--project', project])).toMatchObject({ total: 0 });
});

test('mcp --project offers only one project', async () => {
  const [offeredProject, hiddenProject] = [await createProject(api), await createProject(api)];
  const line = (id: number, args: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'create_flag', arguments: args },
    });
  const [allowedFlag, rejectedFlag] = [`inside-${unique()}`, `outside-${unique()}`];

  const { stdout } = await run(['mcp', '--project', offeredProject], {
    input: `${line(1, { name: allowedFlag, project: offeredProject })}\n${line(2, { name: rejectedFlag, project: hiddenProject })}\n`,
  });

  const [first, second] = stdout
    .trim()
    .split('\n')
    .map(text => JSON.parse(text).result);
  expect(first.structuredContent.flag).toBe(allowedFlag);
  expect(second.isError).toBe(true);
});

test('startup does not load node:http, which would double its CPU time', () => {
  const initialImports = readFileSync(inject('cli').program, 'utf8').match(/^import .* from "node:.*$/gm);

  expect(initialImports).toContainEqual(expect.stringContaining('node:fs'));
  expect(initialImports).not.toContainEqual(expect.stringContaining('node:http'));
});
