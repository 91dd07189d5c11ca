import type { App } from '@halyard/plane/platform/http/app.ts';
import { beforeAll, expect, test } from 'vitest';
import { makePerson } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { logIn } from '../../test/login.ts';
import { buildAuthorizationQuery, DECISIONS, makePkce, register, sendForm } from '../../test/oauth-client.ts';
import { call } from '../../test/request.ts';
import { DEVICE_GRANT } from './metadata.ts';

const harness = useHarness();
let strict: App;

beforeAll(async () => {
  strict = await harness.secondServer({ disabledAuthorization: ['registration', 'device'] });
});

test('the metadata omits disabled features', async () => {
  const { body: fullMetadata } = await call(harness.app, 'GET', '/.well-known/oauth-authorization-server');
  const { body: strictMetadata } = await call(strict, 'GET', '/.well-known/oauth-authorization-server');

  expect(fullMetadata).toHaveProperty('registration_endpoint');
  expect(fullMetadata).toHaveProperty('device_authorization_endpoint');
  expect(fullMetadata.grant_types_supported).toContain(DEVICE_GRANT);
  expect(strictMetadata).not.toHaveProperty('registration_endpoint');
  expect(strictMetadata).not.toHaveProperty('device_authorization_endpoint');
  expect(strictMetadata.grant_types_supported).toEqual(['authorization_code', 'refresh_token']);
});

test('no client can register or use an earlier registration', async () => {
  const { username } = await makePerson(harness.db, 'Editor');
  const browser = await logIn(strict, username);
  const client = await register(harness.app);

  const registration = await call(strict, 'POST', '/oauth/register', {
    body: { redirect_uris: ['https://agent.example/cb'] },
  });
  const preview = await browser.send('POST', `${DECISIONS}/preview`, {
    body: { query: buildAuthorizationQuery(makePkce(), { client_id: client }) },
  });

  expect([registration.status, registration.body.error]).toEqual([403, 'access_denied']);
  expect(preview.status).toBe(400);
  expect(preview.body.message).toContain('This server does not register clients.');
});

test('no client can get a device code or use one from a server that issues them', async () => {
  const { username } = await makePerson(harness.db, 'Editor');
  const browser = await logIn(strict, username);
  const { body: device } = await sendForm(harness.app, '/oauth/device_authorization', {
    client_id: 'halyard-cli',
  });

  const rejection = await sendForm(strict, '/oauth/device_authorization', { client_id: 'halyard-cli' });
  const preview = await browser.send('POST', `${DECISIONS}/preview`, {
    body: { userCode: device.user_code },
  });

  expect([rejection.status, rejection.body.error]).toEqual([400, 'unauthorized_client']);
  expect(preview.status).toBe(403);
  expect(preview.body.message).toContain('This server does not support device codes.');
});

test('the CLI still logs in with a browser', async () => {
  const { username } = await makePerson(harness.db, 'Editor');
  const browser = await logIn(strict, username);

  const { status, body } = await browser.send('POST', `${DECISIONS}/preview`, {
    body: { query: buildAuthorizationQuery(makePkce()) },
  });

  expect([status, body.problem]).toEqual([200, null]);
});
