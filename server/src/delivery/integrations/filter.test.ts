import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { toConditions } from '../../record/events/conditions.ts';
import { parseEventFilters } from '../../record/events/search-query.ts';
import { campaignSize } from '../../test/campaign.ts';
import { useDeliveries } from '../../test/deliveries.ts';
import { makeFeature, makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { matchesFilters } from '../outbox.ts';

const harness = useHarness();
const deliveries = useDeliveries(harness);
const ADDONS_PATH = '/api/admin/addons';
const FEATURES = '/api/admin/projects/default/features';

beforeEach(async () => {
  await sql`delete from integrations`.execute(harness.db);
  await sql`delete from integration_deliveries`.execute(harness.db);
});

const get = (id: number) => call(harness.app, 'GET', `${ADDONS_PATH}/${id}`);
const body = (fields: object) => ({
  provider: 'webhook',
  enabled: true,
  parameters: { url: 'https://example.com/hook' },
  events: ['*'],
  ...fields,
});
const put = (id: number, fields: object) =>
  call(harness.app, 'PUT', `${ADDONS_PATH}/${id}`, { body: body(fields) });
const lastEvent = async (type: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?type=IS:${type}&limit=1`)).body.events[0];

/** Returns the names of the integrations that get a delivery because of the work. */
async function listNotified(ids: Record<string, number>, work: () => Promise<unknown>): Promise<string[]> {
  await sql`delete from integration_deliveries`.execute(harness.db);
  await work();
  const { rows } = await sql<{ integration: number }>`
    select distinct integration_id as integration from integration_deliveries`.execute(harness.db);
  return Object.keys(ids).filter(name => rows.some(({ integration }) => integration === ids[name]));
}

test('stores, shows, keeps, replaces and removes a filter, and records the changes', async () => {
  const filter = { query: 'flexibleRollout', environment: 'IS_ANY_OF:production,development' };
  const { id } = await deliveries.addWebhook({ filter });

  expect((await get(id)).body.filter).toEqual(filter);
  expect((await lastEvent('addon-config-created')).data.filter).toEqual(filter);

  expect((await put(id, { description: 'kept' })).body.filter).toEqual(filter);
  expect((await put(id, { filter: { feature: 'IS:a', query: '' } })).body.filter).toEqual({
    feature: 'IS:a',
  });
  expect(await lastEvent('addon-config-updated')).toMatchObject({
    data: { filter: { feature: 'IS:a' } },
    preData: { filter },
  });
  expect((await put(id, { filter: {} })).body.filter).toBeNull();
  expect((await put(id, { filter: { feature: 'IS:b' } })).body.filter).toEqual({ feature: 'IS:b' });
  expect((await put(id, { filter: null })).body.filter).toBeNull();
  const { rows } = await sql<{ columns: unknown[] }>`
    select jsonb_build_array(filter, filter_features, filter_projects, filter_types, filter_creators,
      filter_environments, filter_texts) as columns from integrations where id = ${id}`.execute(harness.db);
  expect(rows[0]?.columns).toEqual(Array(7).fill(null));
});

test('an update with the same filter records no event', async () => {
  const filter = { type: 'IS:feature-created', query: 'x' };
  const { id } = await deliveries.addWebhook({ filter, events: ['*'] });
  const eventBefore = await lastEvent('addon-config-updated');

  await call(harness.app, 'PUT', `${ADDONS_PATH}/${id}`, {
    body: { ...body({ filter }), parameters: { url: '*****' } },
  });

  expect((await lastEvent('addon-config-updated'))?.id).toBe(eventBefore?.id);
});

test.each([
  [
    { project: 'default' },
    'project must start with IS: or IS_ANY_OF:, for example project=IS:default',
    'project',
  ],
  [{ feature: 'IS:a,' }, 'feature must not contain an empty value', 'feature'],
  [{ createdBy: 'IS:ben' }, 'createdBy must be a user id, not "ben".', 'createdBy'],
  [{ environment: 'IS:a\u0007b' }, 'environment must not contain control characters', 'environment'],
  [{ project: 'IS:no-such-project' }, 'project "no-such-project" does not exist', 'project'],
  [{ from: 'IS:2026-11-01' }, 'filter.from', 'from'],
  [{ id: 'IS:1' }, 'filter.id', 'id'],
  [{ limit: '5' }, 'filter.limit', 'limit'],
  [{ query: 5 }, 'filter.query must be a string', 'query'],
  [
    { type: 'IS:feature-creatd' },
    'Unknown event type "feature-creatd". Did you mean "feature-created"?',
    'type',
  ],
  [
    { environment: 'IS:nope' },
    'environment "nope" does not exist. GET /api/admin/environments lists the environments.',
    'environment',
  ],
])(
  'rejects the filter %j when an integration is created, updated, validated and previewed',
  async (filter, message, path) => {
    const { id } = await deliveries.addWebhook();

    for (const [method, url] of [
      ['POST', ADDONS_PATH],
      ['PUT', `${ADDONS_PATH}/${id}`],
      ['POST', `${ADDONS_PATH}/validate`],
      ['POST', `${ADDONS_PATH}/preview`],
    ] as const) {
      const response = await call(harness.app, method, url, { body: body({ filter }) });
      expect([method, url, response.status]).toEqual([method, url, 400]);
      expect(response.body.details).toEqual([
        { message: expect.stringContaining(message), path: `/body/filter/${path}` },
      ]);
    }
    expect((await get(id)).body.filter).toBeNull();
  },
);

test('delivers only the events that match both the filter and the event types', async () => {
  const { receiver } = deliveries;
  const name = `filtered-${Date.now()}`;
  const matchingWebhook = await deliveries.addWebhook({
    events: ['feature-created'],
    filter: { query: 'SAY "hello" 100%', project: 'IS:default' },
  });
  const otherWebhook = await deliveries.addWebhook({
    events: ['tag-type-created'],
    filter: { query: 'say', project: 'IS:default' },
  });
  const create = (fields: object) => call(harness.app, 'POST', FEATURES, { body: fields });

  await create({ name: `${name}-no`, description: 'hello' });
  await create({ name: `${name}-yes`, description: 'Say "Hello" 100%!' });

  const records = await deliveries.waitUntilSettled(matchingWebhook.id);
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({ state: 'success' });
  expect(await deliveries.records(otherWebhook.id)).toEqual([]);
  const bodies = receiver.received.map(({ body }) => body);
  expect(bodies.filter(text => text.includes(`${name}-yes`)).length).toBeGreaterThan(0);
  expect(bodies.filter(text => text.includes(`${name}-no`))).toEqual([]);
});

test('filters by feature, type, creator, environment and text, and delivers everything without a filter', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const add = async (filter: object | undefined) =>
    (await deliveries.addWebhook({ events: ['*'], ...(filter ? { filter } : {}) })).id;
  const ids = {
    none: await add(undefined),
    feature: await add({ feature: 'IS:each-one' }),
    otherFeature: await add({ feature: 'IS:each-two' }),
    type: await add({ type: 'IS_ANY_OF:feature-created,feature-environment-enabled' }),
    user: await add({ createdBy: `IS:${user.id}` }),
    nobody: await add({ createdBy: 'IS:99999999999' }),
    production: await add({ environment: 'IS:production' }),
    text: await add({ query: 'EACH-DESCRIPTION' }),
    both: await add({ feature: 'IS:each-one', createdBy: `IS:${user.id}` }),
  };
  const createFeature = (token?: string) =>
    call(harness.app, 'POST', FEATURES, {
      body: { name: 'each-one', description: 'each-description' },
      ...(token ? { token } : {}),
    });

  expect(await listNotified(ids, () => createFeature(user.token))).toEqual([
    'none',
    'feature',
    'type',
    'user',
    'text',
    'both',
  ]);
  expect(
    await listNotified(ids, () =>
      call(harness.app, 'POST', `${FEATURES}/each-one/environments/production/on`),
    ),
  ).toEqual(expect.arrayContaining(['none', 'feature', 'type', 'production']));
  await sql`update integrations set enabled = false where filter_texts is not null`.execute(harness.db);
  expect(await listNotified(ids, () => makeFeature(harness.db, 'default', { name: 'each-two' }))).toEqual([
    'none',
    'otherFeature',
    'type',
  ]);
});

test('callers who cannot read a project in the filter cannot see the integration', async () => {
  await makeProject(harness.db, { id: 'filter-private', mode: 'private' });
  const editor = await makeUser(harness.db, 'Editor');
  const member = await makeUser(harness.db, 'Editor');
  await makeMember(harness.db, member, 'filter-private', 'Reader');
  const filter = { project: 'IS_ANY_OF:default,filter-private' };
  const { id } = await deliveries.addWebhook({ filter });

  const editorOptions = { token: editor.token };
  expect((await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`, editorOptions)).status).toBe(404);
  expect((await call(harness.app, 'GET', ADDONS_PATH, editorOptions)).body.addons).toEqual([]);
  expect(
    (await call(harness.app, 'POST', ADDONS_PATH, { ...editorOptions, body: body({ filter }) })).body.details,
  ).toEqual([{ message: 'project "filter-private" does not exist', path: '/body/filter/project' }]);
  expect(
    (await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`, { token: member.token })).body.filter,
  ).toEqual(filter);
});

test('previews the newest events that an integration would receive and the caller can see', async () => {
  await makeProject(harness.db, { id: 'preview-private', mode: 'private' });
  const viewer = await makeUser(harness.db, 'Viewer');
  for (let n = 0; n < 25; n++) {
    await makeFeature(harness.db, 'default', {
      name: `preview-${n}`,
      description: n % 2 ? 'odd one' : 'even one',
    });
  }
  await makeFeature(harness.db, 'preview-private', { name: 'preview-secret', description: 'odd one' });
  const preview = async (fields: object, token?: string) => {
    const response = await call(harness.app, 'POST', `${ADDONS_PATH}/preview`, {
      body: { events: ['feature-created'], ...fields },
      ...(token ? { token } : {}),
    });
    expect(response.status).toBe(200);
    return response.body.events.map((event: { featureName: string }) => event.featureName);
  };
  const oddNames = [23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1].map(n => `preview-${n}`);

  expect(await preview({ filter: { query: 'ODD ONE' } })).toEqual(['preview-secret', ...oddNames]);
  expect(await preview({ filter: { query: 'odd one' } }, viewer.token)).toEqual(oddNames);
  expect(await preview({ filter: { query: 'odd one' }, projects: ['default'] })).toEqual(oddNames);
  expect(await preview({})).toHaveLength(20);
  expect(await preview({ events: ['tag-type-created'], filter: { feature: 'IS:preview-1' } })).toEqual([]);
  expect(
    await preview({ events: ['*'], filter: { feature: 'IS:preview-1' }, environments: ['production'] }),
  ).toEqual(['preview-1']);
});

test('random filters match exactly the same events as the event search', async () => {
  const names = ['default', 'other', 'Straße', 'a_b'];
  await makeProject(harness.db, { id: 'other' });
  for (const [index, name] of ['rand-a', 'rand-b', 'rand-c'].entries()) {
    await makeFeature(harness.db, index === 1 ? 'other' : 'default', {
      name,
      description: names[index + 1] ?? '',
    });
    await call(harness.app, 'POST', `${FEATURES}/${name}/environments/production/on`);
  }
  const generateFilter = (...values: string[]) =>
    fc
      .array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })
      .map(list => `${list.length > 1 ? 'IS_ANY_OF' : 'IS'}:${list.join()}`);
  const filters = fc.record(
    {
      query: fc.constantFrom('STRASSE', 'straße', 'A_B', 'rand-', '"', ', ', 'production', 'nothing'),
      feature: generateFilter('rand-a', 'rand-b', 'nope'),
      project: generateFilter('default', 'other'),
      type: generateFilter('feature-created', 'feature-environment-enabled'),
      createdBy: generateFilter('-42', '-1337', '5', '99999999999'),
      environment: generateFilter('production', 'development'),
    },
    { requiredKeys: [] },
  );
  const { id } = await deliveries.addWebhook({ events: ['*'], enabled: false });

  await fc.assert(
    fc.asyncProperty(filters, async filter => {
      expect((await put(id, { filter, enabled: false })).status).toBe(200);
      const filterConditions = [
        sql`type <> 'integration-tested'`,
        ...toConditions(parseEventFilters(filter, {}, {})),
      ];
      const expectedRows = await sql<{ id: number }>`
        select id from events where ${sql.join(filterConditions, sql` and `)} order by id`.execute(
        harness.db,
      );
      const foundRows = await sql<{ id: number }>`
        select events.id from events join integrations on integrations.id = ${id}
        where ${matchesFilters('events')} order by events.id`.execute(harness.db);
      // Both statements also see the event that the filter update records.
      expect(foundRows.rows).toEqual(expectedRows.rows);
    }),
    { numRuns: campaignSize({ usual: 20, long: 600 }) },
  );
});

test('shows the feature and query of a filter only to callers who can create or update integrations', async () => {
  await makeProject(harness.db, { id: 'vault', mode: 'private' });
  await makeFeature(harness.db, 'vault', { name: 'v.secret1' });
  const filter = { feature: 'IS:v.secret1', query: 'v.secret2', type: 'IS:feature-updated' };
  const { id } = await deliveries.addWebhook({ filter });
  const [viewer, editor] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Editor')];
  const readFiltersAs = async ({ token }: { token: string }) => {
    const response = await call(harness.app, 'GET', `${ADDONS_PATH}/${id}`, { token });
    const listResponse = await call(harness.app, 'GET', ADDONS_PATH, { token });
    return [response.body.filter, listResponse.body.addons[0].filter];
  };

  const visibleFilter = { type: 'IS:feature-updated' };
  expect(await readFiltersAs(viewer)).toEqual([visibleFilter, visibleFilter]);
  expect(await readFiltersAs(editor)).toEqual([filter, filter]);
  expect((await get(id)).body.filter).toEqual(filter);
});

test('a preview says whether it searched the whole event log', async () => {
  const isComplete = async () =>
    (await call(harness.app, 'POST', `${ADDONS_PATH}/preview`, { body: { events: ['*'] } })).body.isComplete;
  expect(await isComplete()).toBe(true);

  await sql`select setval('events_id_seq', (select max(id) + 50000 from events))`.execute(harness.db);

  expect(await isComplete()).toBe(false);
});
