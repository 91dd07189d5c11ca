import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { expectAccessible, expectAccessibleInBothModes } from './support/accessible.ts';
import { createPerson } from './support/api.ts';
import { openPage } from './support/open-page.ts';
import { test } from './support/test.ts';

/** Starts a client on this computer that requests access and waits for the redirect with the code. */
async function startClient(url: string, changes: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const redirects: URLSearchParams[] = [];
  const listener = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://client');
    if (pathname === '/callback') redirects.push(searchParams);
    response.setHeader('content-type', 'text/html');
    response.end(
      '<!doctype html><html lang="en"><title>Client</title><link rel="icon" href="data:,"><p>Back in the client</p>',
    );
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const registration = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Some agent', redirect_uris: [redirectUri] }),
  });
  const { client_id: clientId } = (await registration.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state & more',
    ...changes,
  });
  return {
    path: `/authorize?${query}`,
    redirects,
    exchange: async (code: string) => {
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      };
      const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
      return (await response.json()) as { access_token: string };
    },
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections();
      listener.close();
    },
  };
}

const readCaller = async (url: string, token: string) =>
  (await (
    await fetch(`${url}/api/admin/user`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as {
    token: { kind: string; scope: object };
  };

test('a user logs in, authorizes an agent with limits, and deletes its token in the profile', async ({
  page,
  server,
  api,
}) => {
  await using client = await startClient(server.url);
  const person = await createPerson(api);
  await page.goto(client.path);
  await page.getByLabel('Username or email address').fill(person.username);
  await page.getByLabel(/^Password/).fill(person.password);
  await page.getByRole('button', { name: 'Log in' }).click();

  await page.getByRole('heading', { name: 'Connect “Some agent”' }).waitFor();
  await page.getByText('This name is unverified').waitFor();
  await page.getByText('It cannot change anything.').waitFor();
  await page.getByRole('checkbox', { name: 'Default' }).waitFor();
  await expectAccessibleInBothModes(page);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('is required for an agent').waitFor();
  await page.getByLabel('Access').selectOption('Read, and change flags within limits');
  await page.getByRole('checkbox', { name: 'Default' }).check();
  await page.getByRole('checkbox', { name: 'development' }).check();
  await page.getByText('only in development, at most 20 times').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Allow' }).click();

  await page.getByText('Back in the client').waitFor();
  const [redirect] = client.redirects;
  expect(redirect?.get('state')).toBe('a state & more');
  const { access_token: token } = await client.exchange(redirect?.get('code') ?? '');
  expect((await readCaller(server.url, token)).token).toMatchObject({
    kind: 'agent',
    scope: { projects: ['default'], environments: ['development'], maxChanges: 20 },
  });
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Delete Some agent' }).click();
  await page.getByRole('button', { name: 'Delete token' }).click();
  await page.getByText('Token deleted.').waitFor();
  const rejectedResponse = await fetch(`${server.url}/api/admin/user`, { headers: { authorization: token } });
  expect(rejectedResponse.status).toBe(401);
});

test('a user denies a client', async ({ page, server, logInAs }) => {
  await using client = await startClient(server.url);
  await logInAs();
  await page.goto(client.path);

  await page.getByRole('button', { name: 'Deny' }).click();

  await page.getByText('Back in the client').waitFor();
  expect(client.redirects[0]?.get('error')).toBe('access_denied');
});

test('explains an invalid request, and returns to the client only if the user clicks', async ({
  page,
  server,
  logInAs,
}) => {
  await using client = await startClient(server.url, { code_challenge_method: 'plain' });
  await logInAs();
  await page.goto(client.path);
  await page.getByText('code_challenge_method must be "S256"').waitFor();
  await expectAccessible(page);
  expect(client.redirects).toEqual([]);

  await page.getByRole('button', { name: /Return to/ }).click();

  await page.getByText('Back in the client').waitFor();
  expect(client.redirects[0]?.get('error')).toBe('invalid_request');
});

test('shows no Allow, Deny or Return button for an unknown redirect URI, and reports an unknown client', async ({
  page,
  server,
  logInAs,
  tolerated,
}) => {
  tolerated.push(/400/);
  await using client = await startClient(server.url, { redirect_uri: 'https://evil.example/callback' });
  await logInAs();

  await page.goto(client.path);
  await page.getByText('is not one of the client').waitFor();
  await expectAccessible(page);
  expect(await page.getByRole('button', { name: /Return|Allow|Deny/ }).count()).toBe(0);

  await page.goto('/authorize?client_id=nobody');
  await page.getByText('Client "nobody" is unknown').waitFor();
});

test('a user authorizes the CLI without a browser by entering its code', async ({
  page,
  server,
  logInAs,
  tolerated,
}) => {
  tolerated.push(/404/);
  await logInAs();
  const deviceResponse = await fetch(`${server.url}/oauth/device_authorization`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'halyard-cli' }),
  });
  const device = (await deviceResponse.json()) as { user_code: string; device_code: string };
  await openPage(page, '/authorize');
  await expectAccessible(page);
  await page.getByLabel('Code').fill('BBBB-BBBB');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('No client is waiting for this code').waitFor();
  await page.getByRole('button', { name: 'Enter a different code' }).click();
  await page.getByLabel('Code').fill(device.user_code.toLowerCase());
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Continue only if you started it yourself').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Allow' }).click();

  await page.getByText('Return to the terminal.').waitFor();
  const tokenResponse = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'halyard-cli',
      device_code: device.device_code,
    }),
  });
  const { access_token: token } = (await tokenResponse.json()) as { access_token: string };
  expect((await readCaller(server.url, token)).token).toMatchObject({ kind: 'personal', scope: null });
});

test('the page cannot be shown in a frame, and a link only fills in a code', async ({
  page,
  server,
  logInAs,
}) => {
  await logInAs();
  const response = await page.goto('/authorize?user_code=BCDF-GHJK');

  expect(response?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(response?.headers()['x-frame-options']).toBe('DENY');
  expect(await page.getByLabel('Code').inputValue()).toBe('BCDF-GHJK');
  expect(await page.getByRole('button', { name: 'Allow' }).count()).toBe(0);
  expect(server.url).toBeDefined();
});
