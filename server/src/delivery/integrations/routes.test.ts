import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { change } from '../../record/change.ts';
import { makeProject, makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { createIntegration, type IntegrationSettings } from './create.ts';
import type { IntegrationInput } from './schema.ts';
import { lockIntegrationCount } from './store.ts';

const harness = useHarness();

const ADDONS_PATH = '/api/admin/addons';
const WEBHOOK = {
  provider: 'webhook',
  description: 'Hook',
  enabled: true,
  parameters: { url: 'https://hooks.example.com/in?key=CANARY', authorization: 'Bearer CANARY' },
  events: ['feature-created'],
};

const post = (fields: object = {}, token?: string) =>
  call(harness.app, 'POST', ADDONS_PATH, {
    body: { ...WEBHOOK, ...fields },
    ...(token === undefined ? {} : { token }),
  });
const put = (id: number, fields: object = {}) =>
  call(harness.app, 'PUT', `${ADDONS_PATH}/${id}`, { body: { ...WEBHOOK, ...fields } });
const get = (id: number) => call(harness.app, 'GET', `${ADDONS_PATH}/${id}`);
const listEvents = async (id: number) => {
  const { body } = await call(harness.app, 'GET', '/api/admin/search/events?limit=1000');
  return body.events.filter(
    (event: { type: string; data: { id: number } | null; preData: { id: number } | null }) =>
      /^(addon|integration)-/.test(event.type) && (event.data ?? event.preData)?.id === id,
  );
};
const readStored = async (id: number) =>
  (
    await sql<{ parameters: object; sealed: string; secret: string }>`
      select parameters, sealed_parameters as sealed, sealed_secret as secret from integrations where id = ${id}`.execute(
      harness.db,
    )
  ).rows[0];

test('creates, lists and records an integration with masked secrets', async () => {
  const { status, body } = await post({ unknown: 1 });

  const { signingSecret, ...shown } = body;
  expect(status).toBe(201);
  expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toEqual({
    id: expect.any(Number),
    ...WEBHOOK,
    parameters: { url: '*****', authorization: '*****' },
    projects: [],
    environments: [],
    eventsWithoutProject: false,
    filter: null,
    ordered: false,
    whenExhausted: 'skip',
    createdAt: expect.any(String),
    failingSince: null,
    disabledAt: null,
    disabledBecause: null,
    oldSecretUntil: null,
    problem: null,
  });
  expect((await get(body.id)).body).toEqual(shown);
  const list = (await call(harness.app, 'GET', ADDONS_PATH)).body;
  expect(list.addons).toContainEqual(shown);
  expect(list.providers.map((provider: { name: string }) => provider.name)).toContain('webhook');
  for (const { name, howTo } of list.providers) expect(howTo, name).toMatch(/\w/);
  const [event] = await listEvents(body.id);
  expect(event).toMatchObject({ type: 'addon-config-created', project: null });
  expect(event.data.parameters).toEqual({ url: '*****', authorization: '*****' });
  expect(JSON.stringify([await listEvents(body.id), await readStored(body.id)])).not.toContain('CANARY');
});

test('lists every violation with its path', async () => {
  const { status, body } = await post({
    parameters: {
      url: 'ftp://x',
      contentType: 'ä',
      customHeaders: '{"Host":"x","a b":"c"}',
      bodyTemplate: '{{#a}}',
    },
    events: ['feature-created', 'no-such-event'],
  });

  expect(status).toBe(400);
  expect(body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    '/body/events/1',
    '/body/parameters/bodyTemplate',
    '/body/parameters/contentType',
    '/body/parameters/customHeaders',
    '/body/parameters/customHeaders',
    '/body/parameters/url',
  ]);
});

test.each([
  ['an unknown provider', { provider: 'carrier-pigeon' }, '/body/provider'],
  ['a missing URL', { parameters: {} }, '/body/parameters/url'],
  ['a URL that is not a string', { parameters: { url: 7 } }, '/body/parameters/url'],
  ['a URL with a password', { parameters: { url: 'https://a:b@example.com' } }, '/body/parameters/url'],
  ['no events', { events: [] }, '/body/events'],
  [
    'headers that are not JSON',
    { parameters: { ...WEBHOOK.parameters, customHeaders: 'X: y' } },
    '/body/parameters/customHeaders',
  ],
  [
    'a line break in a header',
    { parameters: { ...WEBHOOK.parameters, customHeaders: '{"X-A":"b\\r\\nX-B: c"}' } },
    '/body/parameters/customHeaders',
  ],
  [
    'a signature header',
    { parameters: { ...WEBHOOK.parameters, customHeaders: '{"Webhook-Id":"x"}' } },
    '/body/parameters/customHeaders',
  ],
  [
    'sections nested three deep',
    { parameters: { ...WEBHOOK.parameters, bodyTemplate: '{{#a}}{{#b}}{{#c}}{{/c}}{{/b}}{{/a}}' } },
    '/body/parameters/bodyTemplate',
  ],
])('rejects %s on create, validate and update', async (_, fields, path) => {
  const { body: created } = await post();
  const rejection = { status: 400, body: { name: 'BadDataError', details: [{ path }] } };

  expect(await post(fields)).toMatchObject(rejection);
  expect(await put(created.id, fields)).toMatchObject(rejection);
  expect(
    await call(harness.app, 'POST', `${ADDONS_PATH}/validate`, { body: { ...WEBHOOK, ...fields } }),
  ).toMatchObject(rejection);
});

test('validates an integration without storing it', async () => {
  const countBefore = (await call(harness.app, 'GET', ADDONS_PATH)).body.addons.length;

  expect((await call(harness.app, 'POST', `${ADDONS_PATH}/validate`, { body: WEBHOOK })).status).toBe(204);

  expect((await call(harness.app, 'GET', ADDONS_PATH)).body.addons.length).toBe(countBefore);
});

test('keeps masked parameters and absent fields in an update', async () => {
  const { body: created } = await post({ projects: ['default'], ordered: true });
  const rowBefore = await readStored(created.id);

  const { status, body } = await put(created.id, {
    description: 'Changed',
    parameters: { url: '*****', authorization: '*****' },
  });

  expect(status).toBe(200);
  expect(body).toMatchObject({ description: 'Changed', projects: ['default'], ordered: true });
  expect(body.parameters).toEqual({ url: '*****', authorization: '*****' });
  const [event] = await listEvents(created.id);
  expect(event).toMatchObject({ type: 'addon-config-updated', preData: { description: 'Hook' } });
  expect(event.data.changedSecrets).toBeUndefined();
  // Encrypting the value again changes the ciphertext. The next update records no change, so the value itself is the same.
  expect((await readStored(created.id))?.sealed).not.toBe(rowBefore?.sealed);
  const eventCount = (await listEvents(created.id)).length;
  await put(created.id, { description: 'Changed' });
  expect((await listEvents(created.id)).length).toBe(eventCount);
});

test('records only the name of a changed secret', async () => {
  const { body: created } = await post();

  await put(created.id, { parameters: { url: '*****', authorization: 'Bearer CANARY2' } });

  const [event] = await listEvents(created.id);
  expect(event.data.changedSecrets).toEqual(['authorization']);
  expect(JSON.stringify(event)).not.toContain('CANARY');
});

test('records nothing for an update without a change, and does not let an update change the provider', async () => {
  const { body: created } = await post();

  expect((await put(created.id)).status).toBe(200);

  expect(await listEvents(created.id)).toHaveLength(1);
  expect(await put(created.id, { provider: 'slack' })).toMatchObject({ status: 400 });
});

test('deletes an integration and records its last state', async () => {
  const { body: created } = await post();

  expect((await call(harness.app, 'DELETE', `${ADDONS_PATH}/${created.id}`)).status).toBe(200);

  expect((await get(created.id)).status).toBe(404);
  expect((await put(created.id)).status).toBe(404);
  expect((await call(harness.app, 'DELETE', `${ADDONS_PATH}/${created.id}`)).status).toBe(404);
  expect((await listEvents(created.id))[0]).toMatchObject({
    type: 'addon-config-deleted',
    preData: { description: 'Hook' },
  });
});

test.each(['abc', '0', '-1', '1.5', '99999999999999999'])('rejects the id %s', async id => {
  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`)).status).toBe(400);
});

test('returns a new signing secret for each rotation, and requires force for a second rotation during the overlap', async () => {
  const { body: created } = await post();
  const rotate = (body: object) =>
    call(harness.app, 'POST', `${ADDONS_PATH}/${created.id}/rotate-secret`, { body });

  const firstRotation = await rotate({});
  const secondRotation = await rotate({});
  const forcedRotation = await rotate({ force: true, overlapHours: 0 });

  expect(firstRotation).toMatchObject({
    status: 200,
    body: { signingSecret: expect.stringMatching(/^whsec_/) },
  });
  expect(new Date(firstRotation.body.oldSecretUntil).getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(secondRotation).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  expect(forcedRotation.body.oldSecretUntil).toBeNull();
  expect(
    new Set([created.signingSecret, firstRotation.body.signingSecret, forcedRotation.body.signingSecret])
      .size,
  ).toBe(3);
  expect((await listEvents(created.id))[0].type).toBe('integration-secret-rotated');
  expect((await rotate({ overlapHours: 200 })).status).toBe(400);
});

const create = (...input: [IntegrationSettings, IntegrationInput]) =>
  change(harness.db, SYSTEM, current => createIntegration(current, ...input));

test('rejects an integration when the server has no key', async () => {
  const settings = { keyring: [], targets: { allowed: [], allowPrivate: true } };

  await expect(create(settings, WEBHOOK)).rejects.toThrow('HALYARD_SECRET_KEY');
});

test.each(['Admin', 'Editor'] as const)(
  'rejects filters that name an unknown project or environment, even for an %s',
  async role => {
    const { token } = await makeUser(harness.db, role);
    const filters = { projects: ['default', 'nope'], environments: ['prod'] };
    const { id } = (await post()).body;
    const send = (method: 'POST' | 'PUT', path: string, fields: object = filters) =>
      call(harness.app, method, `${ADDONS_PATH}${path}`, { body: { ...WEBHOOK, ...fields }, token });

    for (const response of [
      await send('POST', ''),
      await send('POST', '/validate'),
      await send('PUT', `/${id}`),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body.details).toEqual([
        { message: 'project "nope" does not exist', path: '/body/projects/1' },
        {
          message: 'environment "prod" does not exist. GET /api/admin/environments lists the environments.',
          path: '/body/environments/0',
        },
      ]);
    }
    const allResponse = await send('POST', '', { ...filters, events: ['feature-craeted'] });
    expect(allResponse.body.details).toHaveLength(3);
  },
);

test('accepts an update that keeps or removes a deleted project in the project filter', async () => {
  const deletedProject = await makeProject(harness.db);
  const { id } = (await post({ projects: ['default', deletedProject.id] })).body;
  await sql`update integrations set projects = array['default', 'deleted-since'] where id = ${id}`.execute(
    harness.db,
  );

  const repeatedUpdate = await put(id, { projects: ['default', 'deleted-since'] });
  const reducedUpdate = await put(id, { projects: ['default'] });

  expect(repeatedUpdate.body.projects).toEqual(['default', 'deleted-since']);
  expect(reducedUpdate.body.projects).toEqual(['default']);
});

test('lists parameters that the provider does not have in the Halyard-Ignored header', async () => {
  const fields = { parameters: { ...WEBHOOK.parameters, contntType: 'x' } };
  const creation = await post(fields);
  const update = await put(creation.body.id, fields);
  const strictResponse = await call(harness.app, 'POST', ADDONS_PATH, {
    body: { ...WEBHOOK, ...fields },
    headers: { prefer: 'handling=strict' },
  });

  expect([creation.status, update.status]).toEqual([201, 200]);
  expect(creation.headers['halyard-ignored']).toBe('parameters.contntType');
  expect(update.headers['halyard-ignored']).toBe('parameters.contntType');
  expect(strictResponse.body.details).toEqual([
    { message: 'Unknown field "parameters.contntType".', path: '/body/parameters/contntType' },
  ]);
});

test('rejects private IP addresses unless the operator allows them', async () => {
  const createFor = (address: string, targets: { allowed: string[]; allowPrivate: boolean }) =>
    create(
      { keyring: makeKeyring(APP_SETTINGS.secretKey, []), targets },
      { ...WEBHOOK, parameters: { url: address } },
    ).then(
      () => 'stored',
      (error: { details: { message: string }[] }) => error.details[0]?.message,
    );

  expect(await createFor('http://10.1.2.3/', { allowed: [], allowPrivate: false })).toBe(
    'parameters.url must point to a public IP address. To allow "10.1.2.3", set HALYARD_ALLOWED_TARGETS=10.1.2.3 (or HALYARD_ALLOW_PRIVATE_TARGETS=true in development) and restart the server.',
  );
  expect(await createFor('http://10.1.2.3/', { allowed: ['10.1.0.0/16'], allowPrivate: false })).toBe(
    'stored',
  );
  expect(await createFor('http://localhost/', { allowed: ['localhost'], allowPrivate: false })).toBe(
    'stored',
  );
});

test('inserts a delivery and a job in the same statement as a matching event', async () => {
  await sql`delete from integrations`.execute(harness.db);
  const countStatements = async (work: () => Promise<unknown>) => {
    const statementsBefore = harness.statements.length;
    await work();
    return harness.statements.length - statementsBefore;
  };
  const createFeature = (project: string) => () =>
    call(harness.app, 'POST', `/api/admin/projects/${project}/features`, {
      body: { name: `feature-${Math.random().toString(36).slice(2)}` },
    });
  const listDeliveries = async () =>
    (
      await sql<{ integration: number; jobs: number }>`
      select integration_id as integration, (
        select count(*) from pgboss.job where name = 'deliver' and data ->> 'delivery' = integration_deliveries.id::text
      ) as jobs
      from integration_deliveries order by id`.execute(harness.db)
    ).rows;
  const otherProject = await makeProject(harness.db);
  await createFeature('default')();

  const statementsWithout = await countStatements(createFeature('default'));
  expect(await listDeliveries()).toEqual([]);
  const { body: all } = await post();
  const { body: integration } = await post({ projects: [otherProject.id] });
  await post({ enabled: false });
  await post({ events: ['feature-archived'] });
  const statementsWithTwo = await countStatements(createFeature(otherProject.id));
  await createFeature('default')();

  expect(statementsWithTwo).toBe(statementsWithout);
  expect(await listDeliveries()).toEqual([
    { integration: all.id, jobs: 1 },
    { integration: integration.id, jobs: 1 },
    { integration: all.id, jobs: 1 },
  ]);
});

test('omits events without a project if projects are listed, unless eventsWithoutProject is true', async () => {
  await sql`delete from integrations`.execute(harness.db);
  await sql`delete from integration_deliveries`.execute(harness.db);
  const otherProject = await makeProject(harness.db);
  const types = { events: ['tag-type-created', 'feature-environment-enabled', 'feature-created'] };
  const ids = {
    everything: (await post({ events: ['*'] })).body.id,
    anyProject: (await post({ ...types, projects: ['*'] })).body.id,
    project: (await post({ ...types, projects: ['default'] })).body.id,
    projectAndNone: (await post({ ...types, projects: ['default'], eventsWithoutProject: true })).body.id,
    otherProject: (await post({ ...types, projects: [otherProject.id] })).body.id,
    production: (await post({ ...types, environments: ['production'] })).body.id,
    development: (await post({ ...types, environments: ['development'] })).body.id,
  };
  const listNotified = async (work: () => Promise<unknown>) => {
    await sql`delete from integration_deliveries`.execute(harness.db);
    await work();
    const { rows } = await sql<{ id: number }>`
      select distinct integration_id as id from integration_deliveries`.execute(harness.db);
    return Object.entries(ids)
      .filter(([, id]) => rows.some(row => row.id === id))
      .map(([name]) => name);
  };
  const features = '/api/admin/projects/default/features';

  expect(
    await listNotified(() =>
      call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: 'filters' } }),
    ),
  ).toEqual(['everything', 'anyProject', 'projectAndNone', 'production', 'development']);
  expect(
    await listNotified(() => call(harness.app, 'POST', features, { body: { name: 'filtered' } })),
  ).toEqual(['everything', 'anyProject', 'project', 'projectAndNone', 'production', 'development']);
  expect(
    await listNotified(() => call(harness.app, 'POST', `${features}/filtered/environments/production/on`)),
  ).toEqual(['everything', 'anyProject', 'project', 'projectAndNone', 'production']);
});

test('deleting an integration in an open transaction does not make an event fail or wait', async () => {
  const { body: created } = await post({ events: ['*'] });
  const tx = await harness.db.startTransaction().execute();
  await sql`delete from integrations where id = ${created.id}`.execute(tx);

  const { status } = await call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: 'meanwhile' } });

  await tx.commit().execute();
  expect(status).toBe(201);
});

test('creating an integration waits while another transaction counts the integrations', async () => {
  const tx = await harness.db.startTransaction().execute();
  await lockIntegrationCount(tx);

  const creation = post();
  await waitForLockWaiters(harness.db);
  await tx.commit().execute();

  expect((await creation).status).toBe(201);
});

test('lets editors configure integrations, and shows them masked to viewers', async () => {
  const editor = (await makeUser(harness.db, 'Editor')).token;
  const viewer = (await makeUser(harness.db, 'Viewer')).token;

  const creation = await post({}, editor);

  expect(creation.status).toBe(201);
  expect((await post({}, viewer)).status).toBe(403);
  const viewerResponse = await call(harness.app, 'GET', `${ADDONS_PATH}/${creation.body.id}`, {
    token: viewer,
  });
  expect(viewerResponse.body.parameters).toEqual({ url: '*****', authorization: '*****' });
});
