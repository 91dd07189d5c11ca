import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { startReceiver } from '../../test/receiver.ts';
import { call } from '../../test/request.ts';
import { PROVIDERS } from './providers/list.ts';
import { checkSealed, resealSecrets } from './reseal.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);

const ADDONS_PATH = '/api/admin/addons';
const events = ['feature-created'];

/** Returns a valid value for every parameter that is sensitive, required or a URL. */
const validParameters = (provider: string, url: string): Record<string, string> =>
  Object.fromEntries(
    (PROVIDERS.find(({ name }) => name === provider)?.parameters ?? [])
      .filter(({ sensitive, required, type }) => sensitive || required || type === 'url')
      .map(({ name, type }) => [
        name,
        type === 'url' ? url : type === 'headers' ? '{"X-Key":"CANARY"}' : 'CANARY',
      ]),
  );

const create = async (provider: string, parameters: object, token?: string) => {
  const { status, body } = await call(harness.app, 'POST', ADDONS_PATH, {
    body: { provider, enabled: true, events, parameters },
    ...(token === undefined ? {} : { token }),
  });
  expect({ status, details: body.details }).toEqual({ status: 201, details: undefined });
  return body.id as number;
};
const update = (id: number, provider: string, parameters: object, fields: object = {}) =>
  call(harness.app, 'PUT', `${ADDONS_PATH}/${id}`, {
    body: { provider, enabled: true, events, ...fields, parameters },
  });

test.each(PROVIDERS.map(({ name }) => name))(
  '%s: does not send stored secrets to a changed URL',
  async provider => {
    const otherReceiver = await startReceiver();
    const parameters = validParameters(provider, `${deliveries.receiver.url}/hook`);
    const id = await create(provider, { ...parameters, defaultChannels: 'x' });
    const { body: shown } = await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`);
    const urlNames = Object.keys(parameters).filter(name => parameters[name]?.startsWith('http'));
    const movedParameters = Object.fromEntries(urlNames.map(name => [name, `${otherReceiver.url}/hook`]));
    const maskedNames = Object.keys(shown.parameters).filter(
      name => shown.parameters[name] === '*****' && !urlNames.includes(name),
    );

    const rejectedUpdate = await update(id, provider, { ...shown.parameters, ...movedParameters });
    await call(harness.app, 'POST', `${ADDONS_PATH}/${id}/test`);
    await deliveries.waitUntilSettled(id);

    if (maskedNames.length > 0) {
      expect(rejectedUpdate.status).toBe(400);
      expect(rejectedUpdate.body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual(
        maskedNames.map(name => `/body/parameters/${name}`).toSorted(),
      );
      expect(rejectedUpdate.body.details[0].message).toContain(String(urlNames[0]));
      expect(otherReceiver.received).toEqual([]);
    } else expect(rejectedUpdate.status).toBe(200);
    // The server accepts the update if the secrets are entered again, or if there are none.
    expect((await update(id, provider, { ...parameters, ...movedParameters })).status).toBe(200);
    await otherReceiver.close();
  },
);

test('rejects an update by an editor that would send a stored Slack token to a different URL', async () => {
  const editor = (await makeUser(harness.db, 'Editor')).token;
  const otherReceiver = await startReceiver();
  const id = await create('slack-app', { accessToken: 'xoxb-CANARY', defaultChannels: 'x' });

  const { status, body } = await call(harness.app, 'PUT', `${ADDONS_PATH}/${id}`, {
    token: editor,
    body: {
      provider: 'slack-app',
      enabled: true,
      events,
      parameters: { accessToken: '*****', defaultChannels: 'x', apiUrl: otherReceiver.url },
    },
  });

  expect(status).toBe(400);
  expect(body.details).toMatchObject([{ path: '/body/parameters/accessToken' }]);
  await otherReceiver.close();
});

test('treats a different notation of the same URL as unchanged', async () => {
  const id = await create('new-relic', { url: 'https://collector.example.com', licenseKey: 'CANARY' });

  const { status } = await update(id, 'new-relic', {
    url: 'HTTPS://collector.example.com:443/',
    licenseKey: '*****',
  });

  expect(status).toBe(200);
});

test('rejects a masked parameter without a stored value', async () => {
  const id = await create('webhook', { url: 'https://a.example.com' });

  const { status, body } = await update(id, 'webhook', { url: '*****', authorization: '*****' });

  expect(status).toBe(400);
  expect(body.details).toMatchObject([{ path: '/body/parameters/authorization' }]);
});

const damage = (id: number, column: string) =>
  sql`update integrations set ${sql.ref(column)} = overlay(${sql.ref(column)} placing 'AAAAAAAA' from 20) where id = ${id}`.execute(
    harness.db,
  );
const makeHookParameters = () => ({ url: `${deliveries.receiver.url}/hook`, authorization: 'Bearer x' });

test('reports the damaged secrets of an integration until new ones are entered, without affecting other integrations', async () => {
  const intactId = await create('webhook', makeHookParameters());
  const id = await create('webhook', makeHookParameters());
  await damage(id, 'sealed_parameters');

  const list = await call(harness.app, 'GET', ADDONS_PATH);
  const integration = await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`);
  await call(harness.app, 'POST', `${ADDONS_PATH}/${id}/test`);
  const [record] = await deliveries.waitUntilSettled(id);
  const maskedUpdate = await update(id, 'webhook', { url: '*****', authorization: '*****' });
  const rotation = await call(harness.app, 'POST', `${ADDONS_PATH}/${id}/rotate-secret`, { body: {} });
  const repair = await update(id, 'webhook', makeHookParameters());

  expect([list.status, integration.status]).toEqual([200, 200]);
  const problems = Object.fromEntries(
    list.body.addons.map((addon: { id: number; problem: string | null }) => [addon.id, addon.problem]),
  );
  expect(problems).toMatchObject({ [intactId]: null, [id]: expect.stringContaining('cannot be decrypted') });
  expect(record).toMatchObject({
    state: 'failed',
    attempts: 1,
    stateDetails: expect.stringContaining('cannot be decrypted'),
  });
  expect(maskedUpdate.status).toBe(400);
  expect(maskedUpdate.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/parameters/url',
    '/body/parameters/authorization',
  ]);
  expect(rotation.status).toBe(200);
  expect(repair).toMatchObject({ status: 200, body: { problem: null, parameters: { url: '*****' } } });
});

test('rotating a damaged signing secret repairs it', async () => {
  const id = await create('webhook', makeHookParameters());
  await damage(id, 'sealed_secret');

  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`)).body.problem).toContain('signing secret');
  await call(harness.app, 'POST', `${ADDONS_PATH}/${id}/rotate-secret`, { body: {} });

  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`)).body.problem).toBeNull();
  await call(harness.app, 'POST', `${ADDONS_PATH}/${id}/test`);
  expect(await deliveries.waitUntilSettled(id)).toMatchObject([{ state: 'success' }]);
});

test('deletes an integration with damaged secrets', async () => {
  const id = await create('webhook', makeHookParameters());
  await damage(id, 'sealed_parameters');
  await damage(id, 'sealed_secret');

  expect((await call(harness.app, 'DELETE', `${ADDONS_PATH}/${id}`)).status).toBe(200);
  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`)).status).toBe(404);
});

test('the check at startup returns the integrations with unreadable secrets, but fails if no key matches', async () => {
  await sql`delete from integrations`.execute(harness.db);
  const ownKeyring = makeKeyring(APP_SETTINGS.secretKey, []);
  const [intactId, id] = [
    await create('webhook', makeHookParameters()),
    await create('webhook', makeHookParameters()),
  ];
  await damage(id, 'sealed_parameters');
  const otherKeyring = makeKeyring(Buffer.alloc(32, 9), []);

  expect(await checkSealed(harness.db, ownKeyring)).toEqual([id]);
  await expect(checkSealed(harness.db, otherKeyring)).rejects.toThrow('HALYARD_OLD_SECRET_KEYS');

  // A rotation keeps unreadable secrets, unless forgetUnreadable is set.
  const rotation = await resealSecrets(
    harness.db,
    makeKeyring(Buffer.alloc(32, 9), [APP_SETTINGS.secretKey]),
  );
  expect(rotation).toEqual({ resealed: 2, unreadable: [id] });
  expect(await resealSecrets(harness.db, otherKeyring, { forgetUnreadable: true })).toEqual({
    resealed: 1,
    unreadable: [id],
  });
  expect(await checkSealed(harness.db, otherKeyring)).toEqual([]);
  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${intactId}`)).status).toBe(200);
  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`)).body.problem).toContain('url');
});
