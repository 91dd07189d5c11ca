import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { useSdkServer } from '../../test/sdk-server.ts';
import { createRecordedDatabase, RECORDED, type SourceDatabase } from '../../test/unleash-database.ts';
import { countWritten, isIncomplete, type KindReport, type Report } from './report.ts';
import { importUnleash } from './run.ts';
import { closeSource, countRows, openSource } from './source/source.ts';
import type { Options } from './synchronize.ts';

const SETTINGS = {
  keyring: makeKeyring(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};

const harness = useHarness();
const sdk = useSdkServer(harness);

/** Runs the import once, with a new snapshot. */
async function run({ url }: Pick<SourceDatabase, 'url'>, options: Partial<Options> = {}): Promise<Report> {
  const source = await openSource(url);
  try {
    return await importUnleash(harness.db, source, SETTINGS, {
      plan: false,
      accept: true,
      overwrite: false,
      onlyChanged: false,
      ...options,
    });
  } finally {
    await closeSource(source);
  }
}

const listLines = (report: Report, list: keyof KindReport): string[] =>
  [...report].flatMap(([kind, kindReport]) => [kindReport[list]].flat().map(line => `${kind}: ${line}`));

const countEvents = async () =>
  (await sql<{ count: number }>`select count(*) from events`.execute(harness.db)).rows[0]?.count;

/** Removes what another test imported, because the tests in a file share a database. */
async function deleteImportedData(): Promise<void> {
  await sql`drop table if exists events_imported`.execute(harness.db);
  await sql`delete from imported`.execute(harness.db);
  await sql`delete from feature_dependencies`.execute(harness.db);
  await sql`delete from features`.execute(harness.db);
  await sql`delete from project_environments where default_strategy is not null`.execute(harness.db);
  await sql`delete from segments`.execute(harness.db);
  await sql`delete from api_tokens where type <> 'admin'`.execute(harness.db);
  await sql`delete from projects where id <> 'default'`.execute(harness.db);
  await sql`delete from integrations`.execute(harness.db);
  await sql`delete from groups`.execute(harness.db);
  await sql`delete from users`.execute(harness.db);
  await sql`delete from roles where id > 6`.execute(harness.db);
  await sql`delete from tag_types where name <> 'simple'`.execute(harness.db);
  await sql`delete from tags`.execute(harness.db);
  await sql`delete from strategies where not built_in`.execute(harness.db);
  await sql`delete from context_fields where name in ('country', 'email', 'age', 'version')`.execute(
    harness.db,
  );
  await sql`delete from environments where name not in ('development', 'production')`.execute(harness.db);
}

/** Removes usage counts, because they outlive their flags. */
async function deleteUsage(): Promise<void> {
  await sql`delete from feature_last_seen`.execute(harness.db);
  await sql`delete from metric_days`.execute(harness.db);
}

async function fetchFlags(token: string) {
  const response = await fetch(`${sdk.url}/api/client/features`, { headers: { authorization: token } });
  // biome-ignore lint/suspicious/noExplicitAny: the test reads what it expects
  return { status: response.status, body: (await response.json()) as any };
}

test.each(RECORDED)('imports everything from Unleash %s, and a second run writes nothing', async version => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase(version);

  const firstReport = await run(unleash);
  const eventCount = await countEvents();
  const secondReport = await run(unleash);

  expect(listLines(firstReport, 'rejected')).toEqual([]);
  // An import is complete even if Halyard has no equivalent for an integration.
  expect(listLines(firstReport, 'unsupported')).toEqual([
    'integrations: jira-comment 3: Halyard has no integration of this kind',
  ]);
  expect(isIncomplete(firstReport)).toBe(false);
  expect(listLines(firstReport, 'toDo')).toEqual([
    expect.stringMatching(/^users: \d without a password; create a link/),
    expect.stringMatching(/^integrations: 2 disabled, so that nothing is sent twice/),
  ]);
  expect(listLines(secondReport, 'toDo')).toEqual([]);
  expect(listLines(firstReport, 'conflicts')).toEqual([]);
  expect(firstReport.get('features')).toMatchObject({ created: 12 });
  expect(countWritten(secondReport)).toBe(0);
  expect(await countEvents()).toBe(eventCount);
});

test.each(RECORDED)(
  'Unleash %s SDKs keep working with their tokens, and other tokens are rejected',
  async version => {
    await deleteImportedData();
    const unleash = await createRecordedDatabase(version);
    const [, production = '', development = ''] = unleash.tokens;

    await run(unleash);

    await expect.poll(async () => (await fetchFlags(production)).status).toBe(200);
    const { body } = await fetchFlags(production);
    // biome-ignore lint/suspicious/noExplicitAny: the test reads what it expects
    const flags = new Map<string, any>(body.features.map((flag: { name: string }) => [flag.name, flag]));
    const checkout = flags.get('checkout-v2');
    expect(checkout.strategies[0]).toMatchObject({
      name: 'flexibleRollout',
      parameters: { rollout: '25', stickiness: 'userId', groupId: 'checkout-v2' },
    });
    expect(
      checkout.strategies[0].constraints
        .map((constraint: { operator: string }) => constraint.operator)
        .slice(0, 3),
    ).toEqual(['IN', 'NOT_IN', 'STR_ENDS_WITH']);
    expect(flags.has('kill-payments')).toBe(false);
    // Unleash enables a flag without strategies for everyone.
    expect(flags.get('for-all')).toMatchObject({ enabled: true, strategies: [{ name: 'default' }] });
    expect(flags.get('odd-weights').variants.map((variant: { weight: number }) => variant.weight)).toEqual([
      400, 500,
    ]);
    expect(flags.get('pay.cards').project).toBe('payments');
    const inDevelopment = await fetchFlags(development);
    expect(inDevelopment.status).toBe(200);
    expect(inDevelopment.body.features.map((feature: { project: string }) => feature.project)).not.toContain(
      'payments',
    );
    expect((await fetchFlags(`${production}x`)).status).toBe(401);
  },
);

test('imports the alias of a token as a second token', async () => {
  await deleteImportedData();
  await run(await createRecordedDatabase('4.19.5'));

  await expect.poll(async () => (await fetchFlags('an-old-secret-of-a-proxy-0123456789')).status).toBe(200);
});

test('if a token lost all its projects in Halyard, only overwriting turns it back into a token for all projects', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('4.19.5');
  await run(unleash);
  await sql`update api_tokens set all_projects = false where name = 'client-production'`.execute(harness.db);

  const report = await run(unleash);
  const overwritingReport = await run(unleash, { overwrite: true });

  expect(report.get('API tokens')?.keptInHalyard).toEqual([expect.stringContaining('client-production')]);
  expect(overwritingReport.get('API tokens')).toMatchObject({ updated: 1 });
  const { rows } =
    await sql`select from api_tokens where name = 'client-production' and all_projects`.execute(harness.db);
  expect(rows).toHaveLength(1);
});

test('names items that violate a rule, and imports them only with --accept', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('8.2.0');

  const strictReport = await run(unleash, { accept: false });
  const acceptingReport = await run(unleash);

  expect(listLines(strictReport, 'rejected')).toEqual([
    'features: empty-list: strategy 1 in production: constraints.0.values must have at least one item for operator IN (--accept stores it)',
    'features: odd-weights: in production: variants: the fixed weights add up to 900; make one variant variable or raise them to 1000 (--accept stores it)',
    expect.stringMatching(/^features: Ünusual name: its name must contain only letters/),
    expect.stringMatching(
      /^dependencies: grandchild → checkout-v2: its parent "checkout-v2" has a parent too/,
    ),
  ]);
  expect(isIncomplete(strictReport)).toBe(true);
  expect(acceptingReport.get('features')).toMatchObject({ created: 3 });
  expect(listLines(acceptingReport, 'rejected')).toEqual([]);
  const { rows } = await sql<{ key: string; problems: string[] }>`
    select key, problems from imported where problems <> '{}' and kind = 'features' order by key`.execute(
    harness.db,
  );
  expect(rows.map(({ key }) => key)).toEqual(['empty-list', 'odd-weights', 'Ünusual name']);
});

test('imports projects and tokens with names that the API rejects', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('8.2.0');
  await unleash.run(`
    update projects set name = ' ' where id <> 'default';
    update api_tokens set token_name = chr(12644);
    update api_tokens_v2 set token_name = chr(12644)`);

  const report = await run(unleash, { accept: false });

  expect(listLines(report, 'rejected').filter(line => !/^(features|dependencies):/.test(line))).toEqual([]);
  const { rows } = await sql<{ projects: number; tokens: number }>`
    select (select count(*) from projects where name = ' ') as projects,
      (select count(*) from api_tokens where name = ${'\u3164'}) as tokens`.execute(harness.db);
  expect(rows[0]).toEqual({
    projects: report.get('projects')?.created,
    tokens: report.get('API tokens')?.created,
  });
  expect(rows[0]?.projects).toBeGreaterThan(0);
  expect(rows[0]?.tokens).toBeGreaterThan(0);
});

test('project health lists accepted violations until they are fixed', async () => {
  await deleteImportedData();
  await run(await createRecordedDatabase('8.2.0'));
  const acceptedProblems = async () => {
    const path = '/api/admin/projects/default/health?rule=IS:imported-as-is&limit=100';
    const { findings } = (await call(harness.app, 'GET', path)).body;
    return findings.map((finding: { feature: string; evidence: { violations: string[] } }) => [
      finding.feature,
      finding.evidence.violations.length,
    ]);
  };
  expect((await acceptedProblems()).toSorted()).toEqual([
    ['empty-list', 1],
    ['grandchild', 1],
    ['odd-weights', 1],
    ['Ünusual name', 1],
  ]);

  const variants = [{ name: 'only', weight: 1000, weightType: 'variable', stickiness: 'default' }];
  const repaired = await call(
    harness.app,
    'PUT',
    '/api/admin/projects/default/features/odd-weights/environments/production/variants',
    { body: variants },
  );
  const parents = '/api/admin/projects/default/features/grandchild/dependencies';
  const removal = await call(harness.app, 'DELETE', parents);
  await call(
    harness.app,
    'DELETE',
    `/api/admin/projects/default/features/${encodeURIComponent('Ünusual name')}`,
  );

  expect([repaired.status, removal.status]).toEqual([200, 200]);
  expect(await acceptedProblems()).toEqual([['empty-list', 1]]);
});

test('a plan counts what an import would do, and writes nothing', async () => {
  await deleteImportedData();
  await deleteUsage();
  const unleash = await createRecordedDatabase('8.2.0');
  const eventCount = await countEvents();

  const plan = await run(unleash, { plan: true });

  expect(plan.get('features')).toMatchObject({ created: 12 });
  expect(await countEvents()).toBe(eventCount);
  const { rows } = await sql`select from imported`.execute(harness.db);
  expect(rows).toEqual([]);
  const importReport = await run(unleash);
  const counts = (report: Report) =>
    [...report].map(([kind, kindReport]) => [
      kind,
      kindReport.created,
      kindReport.updated,
      kindReport.unchanged,
    ]);
  expect(counts(importReport)).toEqual(counts(plan));
  expect(plan.get('last uses')?.created).toBeGreaterThan(0);
  expect(plan.get('usage per day')?.created).toBeGreaterThan(0);
});

test('a plan does not count the usage of rejected flags or of flags that Unleash has deleted', async () => {
  await deleteImportedData();
  await deleteUsage();
  const unleash = await createRecordedDatabase('8.2.0');
  await unleash.run(`
    insert into client_metrics_env (feature_name, app_name, environment, timestamp, yes, no)
    select name, 'web', 'production', now(), 5, 1 from unnest(array['empty-list', 'deleted-flag']) as name`);

  const plan = await run(unleash, { plan: true, accept: false });
  const importReport = await run(unleash, { accept: false });
  const secondReport = await run(unleash, { accept: false });

  for (const kind of ['last uses', 'usage per day']) {
    expect(importReport.get(kind)).toEqual(plan.get(kind));
    expect(plan.get(kind)?.created).toBeGreaterThan(0);
    expect(plan.get(kind)?.unchanged).toBe(0);
    expect(secondReport.get(kind)).toMatchObject({ created: 0, unchanged: plan.get(kind)?.created });
  }
});

test('a later run imports what changed in Unleash, and keeps what changed in Halyard', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('8.2.0');
  await run(unleash);
  await unleash.run(`
    update features set description = 'changed there' where name in ('dark-mode', 'old-basket');
    update feature_strategies set parameters = '{"rollout":"70","stickiness":"default","groupId":"n"}' where feature_name = 'no-strategy'`);
  await sql`update features set description = 'changed here' where name in ('old-basket', 'checkout-v2')`.execute(
    harness.db,
  );

  const report = await run(unleash);

  expect(report.get('features')).toMatchObject({ created: 0, updated: 2, removed: 0 });
  expect(listLines(report, 'conflicts')).toEqual([
    'features: old-basket was changed both in Halyard and in Unleash',
  ]);
  expect(listLines(report, 'keptInHalyard')).toEqual(['features: checkout-v2']);
  const readFeature = async (name: string) =>
    (await call(harness.app, 'GET', `/api/admin/projects/default/features/${name}`)).body;
  expect((await readFeature('dark-mode')).description).toBe('changed there');
  expect((await readFeature('old-basket')).description).toBe('changed here');
  expect((await readFeature('checkout-v2')).description).toBe('changed here');
  const { environments } = await readFeature('no-strategy');
  expect(
    environments.find((environment: { name: string }) => environment.name === 'production').strategies[0]
      .parameters.rollout,
  ).toBe('70');

  await run(unleash, { overwrite: true });
  expect((await readFeature('old-basket')).description).toBe('changed there');
});

test('removes items that Unleash no longer has, unless they were changed in Halyard', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('4.19.5');
  const [, production = ''] = unleash.tokens;
  await run(unleash);
  await expect.poll(async () => (await fetchFlags(production)).status).toBe(200);
  await unleash.run(`
    delete from features where name in ('dark-mode', 'old-basket');
    delete from api_tokens where secret = '${production}'`);
  await sql`update features set stale = not stale where name = 'old-basket'`.execute(harness.db);

  const report = await run(unleash);

  expect(report.get('features')).toMatchObject({ removed: 1, onlyInHalyard: ['old-basket'] });
  expect(report.get('API tokens')).toMatchObject({ removed: 1 });
  await expect.poll(async () => (await fetchFlags(production)).status).toBe(401);
});

test('an item that already exists in Halyard under the same name is a conflict', async () => {
  await deleteImportedData();
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name: 'dark-mode' } });

  const report = await run(await createRecordedDatabase('8.2.0'));

  expect(listLines(report, 'conflicts')).toEqual([
    'features: dark-mode already exists in Halyard and differs',
  ]);
});

test('a segment gets a different id if its id is taken in Halyard', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('8.2.0');
  await sql`insert into segments (id, name, created_by) overriding system value values (1, 'mine', 'me')`.execute(
    harness.db,
  );

  await run(unleash);

  const { rows } = await sql<{ name: string; segments: string[] }>`
    select array_agg(segments.name order by segments.name) as segments from feature_strategy_segments
    join segments on segments.id = segment_id join feature_strategies on feature_strategies.id = strategy_id
    where feature_name = 'checkout-v2'`.execute(harness.db);
  expect(rows[0]?.segments).toEqual(['beta-users', 'nordics']);
  const creation = await call(harness.app, 'POST', '/api/admin/segments', {
    body: { name: 'after', constraints: [] },
  });
  expect(creation.status).toBe(201);
});

test.each(RECORDED)('users of Unleash %s keep their roles, groups and tokens', async version => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase(version);
  const [personal = ''] = unleash.personalTokens;

  await run(unleash);

  const { body } = await call(harness.app, 'GET', '/api/admin/user-admin');
  const roles = new Map(
    body.rootRoles.map(({ id, name }: { id: number; name: string }) => [id, name] as const),
  );
  expect(
    body.users.map((user: { username?: string; email?: string; rootRole: number }) => [
      user.email ?? user.username,
      roles.get(user.rootRole),
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['ada@example.com', 'Admin'],
      ['ben', 'Editor'],
      ['admin', 'Admin'],
    ]),
  );
  const ownProfile = await call(harness.app, 'GET', '/api/admin/user', { token: personal });
  expect(ownProfile).toMatchObject({ status: 200, body: { user: { username: 'admin' } } });
  const access = (await call(harness.app, 'GET', '/api/admin/projects/payments/access')).body;
  const releaser = access.roles.find((role: { name: string }) => role.name === 'Releaser');
  expect(access.users).toMatchObject([{ email: 'ada@example.com', roles: [releaser.id] }]);
  const { groups } = (await call(harness.app, 'GET', '/api/admin/groups')).body;
  expect(groups).toMatchObject([{ id: 30, name: 'Shop team', mappingsSSO: ['shop@idp'] }]);
});

test('stops if no admin would remain because Unleash demoted all admins', async () => {
  await deleteImportedData();
  const unleash = await createRecordedDatabase('8.2.0');
  await run(unleash);
  await unleash.run('update role_user set role_id = 3 where role_id = 1');

  await expect(run(unleash)).rejects.toThrow('No user with the Admin role would remain.');

  const { body } = await call(harness.app, 'GET', '/api/admin/user-admin/admin-count');
  expect(body.noPassword).toBe(2);
});

test('imported integrations are disabled, and their secrets are encrypted', async () => {
  await deleteImportedData();
  await run(await createRecordedDatabase('8.2.0'));

  const { addons } = (await call(harness.app, 'GET', '/api/admin/addons')).body;

  expect(addons).toMatchObject([
    {
      id: 1,
      provider: 'webhook',
      enabled: false,
      events: ['feature-created', 'feature-archived'],
      projects: ['default'],
      environments: ['production'],
      parameters: { authorization: '*****' },
      problem: null,
    },
    { id: 2, provider: 'slack', enabled: false },
  ]);
  const { rows } = await sql<{ text: string }>`
    select (select string_agg(integrations::text, '') from integrations) || (select string_agg(imported::text, '') from imported)
      || (select string_agg(concat(data, pre_data), '') from events) as text`.execute(harness.db);
  expect(rows[0]?.text).not.toContain('a-secret');
});

test('imported flags keep their last use and their lifecycle', async () => {
  await deleteImportedData();
  await run(await createRecordedDatabase('8.2.0'));

  const { rows } = await sql<{ stages: string[]; seen: string }>`
    select array(select stage from feature_lifecycles where feature_name = 'checkout-v2' order by entered_at) as stages,
      (select seen_at from feature_last_seen where feature_name = 'checkout-v2') as seen`.execute(harness.db);

  expect(rows[0]?.stages).toEqual(['initial', 'pre-live', 'live']);
  expect(rows[0]?.seen).toMatch(/^2026-11-17T2\d:00:00.000Z$/);
});

test.each(RECORDED)(
  'daily usage in Unleash %s is counted once, no matter how often it is imported',
  async version => {
    await deleteImportedData();
    await sql`delete from metric_days`.execute(harness.db);
    const unleash = await createRecordedDatabase(version);
    await unleash.run(`
    update features set created_at = now() - interval '10 days' where name = 'checkout-v2';
    update client_metrics_env set timestamp = now() - interval '3 days';
    insert into client_metrics_env values ('checkout-v2', 'web', 'production', now() - interval '3 days', 1, 2),
      ('checkout-v2', 'web', 'production', now() - interval '500 days', 1, 2), ('no-such-flag', 'web', 'production', now(), 1, 2)`);
    const usage = async () => {
      const path = '/api/admin/client-metrics/features/checkout-v2/raw?hoursBack=240';
      const { body } = await call(harness.app, 'GET', path);
      return body.data.flatMap(({ appName, yes, no }: { appName: string; yes: number; no: number }) =>
        yes + no > 0 ? [[appName, yes, no]] : [],
      );
    };

    const report = await run(unleash);
    expect(await usage()).toEqual([['import from Unleash', 13, 7]]);
    expect(report.get('usage per day')).toMatchObject({ created: version === '8.2.0' ? 2 : 1 });
    expect((await run(unleash)).get('usage per day')).toMatchObject({ created: 0, updated: 0 });

    await unleash.run(`update client_metrics_env set yes = yes + 1 where app_name = 'web'`);
    await run(unleash);
    expect(await usage()).toEqual([['import from Unleash', 14, 7]]);
  },
);

test('the connection to Unleash is read-only', async () => {
  const { url } = await createRecordedDatabase('8.2.0');
  const source = await openSource(url);
  onTestFinished(() => closeSource(source));

  await expect(source.client.query(`delete from features`)).rejects.toThrow(/read-only transaction/);
});

test('says that the connection to Unleash was closed', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const source = await openSource(unleash.url);
  const ended = new Promise<void>(resolve => source.client.once('end', resolve));

  await unleash.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'halyard import'`,
  );
  await ended;

  await expect(countRows(source, 'features')).rejects.toThrow(
    /^Cannot read the Unleash database: the connection was closed\. Check that its PostgreSQL server is running\. Repeat the import to continue with what is missing\.$/,
  );
});

test("explains that a database is not Unleash's, without showing its password", async () => {
  const url = new URL(harness.databaseUrl);
  url.password = 'a-secret-password';

  const error = await openSource(url.href).catch((reason: Error) => reason);

  expect(error).toMatchObject({
    message: expect.stringContaining('--from is not the database of an Unleash server'),
  });
  expect(String(error)).not.toContain('a-secret-password');
});

test.each(RECORDED)(
  'neither the events nor the records of an import from Unleash %s contain a token secret',
  async version => {
    await deleteImportedData();
    const unleash = await createRecordedDatabase(version);
    await run(unleash);

    const { rows } = await sql<{ events: string; records: string }>`
      select (select string_agg(concat(data, pre_data), '') from events) as events,
        (select string_agg(imported::text, '') from imported) as records`.execute(harness.db);
    const [texts] = rows;
    expect(texts?.events).toContain('client-production');
    expect(texts?.records).toContain('API tokens');
    expect(texts?.records).toContain('personal tokens');
    for (const secret of [...unleash.tokens, ...unleash.personalTokens]) {
      expect(texts?.events).not.toContain(secret.slice(-20));
      expect(texts?.records).not.toContain(secret.slice(-20));
    }
  },
);
