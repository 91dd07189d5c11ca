import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { createRecordedDatabase } from '../../test/unleash-database.ts';
import { addLine, addReport, createReport, formatReport, type KindReport, type Report } from './report.ts';
import { importUnleash } from './run.ts';
import { closeSource, openSource } from './source/source.ts';

// Imports of data that Unleash itself would never write. Each test uses different names, because the tests share a database.

const harness = useHarness();

async function importWith(
  statements: string,
  options: { plan?: boolean; overwrite?: boolean } = {},
): Promise<Report> {
  const unleash = await createRecordedDatabase('8.2.0');
  await unleash.run(statements);
  return await importFrom(unleash.url, options);
}

async function importFrom(url: string, { plan = false, overwrite = false } = {}): Promise<Report> {
  const source = await openSource(url);
  try {
    return await importUnleash(
      harness.db,
      source,
      {
        keyring: makeKeyring(APP_SETTINGS.secretKey, []),
        targets: { allowed: [], allowPrivate: false },
      },
      { plan, accept: true, overwrite, onlyChanged: false },
    );
  } finally {
    await closeSource(source);
  }
}

const formatLines = (report: Report, kind: string, list: keyof KindReport): string =>
  [report.get(kind)?.[list] ?? []].flat().join('\n');

const namesIn = async (table: string, column: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(column)} as name from ${sql.table(table)}`.execute(harness.db);
  return rows.map(({ name }) => name);
};

test('imports the rest of a batch, and names what the database cannot store', async () => {
  const report = await importWith(`
    insert into users (id, username, email) values
      (9001, 'twice', 'first@example.com'), (9002, 'TWICE', 'second@example.com'), (9003, 'alone', 'third@example.com');
    insert into features (name, project, type, variants) values
      ('unknown-type', 'default', 'nope', null), ('nul', 'default', 'release', '[{"name": "a\\u0000b", "weight": 1000}]'),
      ('half-a-pair', 'default', 'release', '[{"name": "a\\ud800b", "weight": 1000}]'), ('sound', 'default', 'release', null);
    insert into tags (type, value) values ('no-such-type', 'value');
    insert into dependent_features (child, parent, enabled) values ('sound', 'sound', true), ('sound', 'missing', true)`);

  expect(formatLines(report, 'users', 'rejected')).toMatch(
    /^second@example.com: the database cannot store it: .*users_username_key"$/,
  );
  expect(formatLines(report, 'features', 'rejected')).toMatch(
    /^unknown-type: its type "nope" does not exist; .*such as "release"\nhalf-a-pair: .*\nnul: .*unsupported Unicode.*$/,
  );
  expect(formatLines(report, 'tags', 'rejected')).toContain(
    'no-such-type:value: its type "no-such-type" does not exist; correct or delete the item in Unleash',
  );
  expect(formatLines(report, 'dependencies', 'rejected')).toContain(
    'sound → sound: a flag cannot depend on itself',
  );
  expect(formatLines(report, 'dependencies', 'rejected')).toContain(
    'sound → missing: its parent "missing" does not exist; correct or delete the item in Unleash',
  );
  expect(report.get('users')).toMatchObject({ created: expect.any(Number) });
  expect(await namesIn('users', 'username')).toEqual(expect.arrayContaining(['twice', 'alone']));
  expect(await namesIn('features', 'name')).toEqual(expect.arrayContaining(['sound', 'checkout-v2']));
});

test('a plan reports a flag whose type does not exist, and accepts a type that only Unleash has', async () => {
  const report = await importWith(
    `insert into feature_types (id, name, description) values ('campaign', 'Campaign', '');
     insert into features (name, project, type) values ('of-no-type', 'default', 'nope'), ('of-new-type', 'default', 'campaign')`,
    { plan: true },
  );

  expect(formatLines(report, 'features', 'rejected')).toBe(
    'of-no-type: its type "nope" does not exist; give it a different type in Unleash, such as "release"',
  );
});

test('imports the first of two items that have the same name in Halyard, and reports the other', async () => {
  const report = await importWith(`
    insert into users (id, username, email) values (9011, 'same-1', 'Same@example.com'), (9012, 'same-2', 'same@example.com')`);

  expect(formatLines(report, 'users', 'rejected')).toContain(
    'same@example.com: another item in Unleash would get the same name',
  );
  expect(await namesIn('users', 'username')).toContain('same-1');
  expect(await namesIn('users', 'username')).not.toContain('same-2');
});

test('rejects tokens with an invalid expiry or no secret, and shows at most the last four characters of a secret', async () => {
  const report = await importWith(`
    insert into api_tokens (secret, token_name, type, environment, expires_at) values
      ('*:production.expired-0123456789', 'expired', 'client', 'production', '-infinity'),
      ('*:production.long-ago-0123456789', 'long ago', 'client', 'production', '0044-03-15 BC'),
      ('*:production.for-ever-0123456789', 'for ever', 'client', 'production', 'infinity'),
      ('', 'empty', 'admin', null, null),
      ('short', 'short', 'client', 'production', null),
      ('part.of-the.secret-0123456789', 'dots', 'client', 'production', null)`);

  expect(formatLines(report, 'API tokens', 'rejected').split('\n').toSorted()).toEqual([
    'empty (…): its secret is empty',
    'expired (*:production.…6789): its expiry "-infinity" is not a time',
    expect.stringMatching(/^long ago \(.*BC" is not a time$/),
  ]);
  const { rows } = await sql<{ hint: string }>`
    select hint from api_tokens where name in ('for ever', 'short', 'dots') order by name`.execute(
    harness.db,
  );
  expect(rows.map(({ hint }) => hint)).toEqual(['…6789', '*:production.…6789', '…']);
});

test('does not import a naming pattern that no name could match', async () => {
  const report = await importWith(`
    insert into projects (id, name) values ('looking-ahead', 'Looking ahead');
    insert into project_settings (project, feature_naming_pattern, feature_naming_example)
      values ('looking-ahead', '^(?=a)', 'a')`);

  expect(formatLines(report, 'projects', 'omitted')).toContain(
    'looking-ahead: its naming pattern "^(?=a)", which is not valid in RE2 syntax',
  );
  const creation = await call(harness.app, 'POST', '/api/admin/projects/looking-ahead/features', {
    body: { name: 'any-name' },
  });
  expect(creation.status).toBe(201);
});

test('a project without a name gets its id as the name', async () => {
  await importWith(`insert into projects (id, name) values ('nameless', '')`);

  const { status, body } = await call(harness.app, 'GET', '/api/admin/projects/nameless/overview');
  expect({ status, name: body.name }).toEqual({ status: 200, name: 'nameless' });
});

test('never changes a built-in role', async () => {
  const readAdminRole = () =>
    sql`select type, (select count(*) from role_permissions where role_id = roles.id) from roles where name = 'Admin'`
      .execute(harness.db)
      .then(({ rows }) => rows);
  const adminBefore = await readAdminRole();

  const report = await importWith(
    `insert into roles (id, name, type) values (9001, 'Admin', 'root-custom');
     insert into users (id, username) values (9021, 'no-admin');
     insert into role_user (user_id, role_id) values (9021, 9001)`,
    { overwrite: true },
  );

  expect(formatLines(report, 'roles', 'rejected')).toBe('custom role Admin: a built-in role has this name');
  expect(await readAdminRole()).toEqual(adminBefore);
  const { rows } = await sql`
    select from user_roles join users on users.id = user_id where username = 'no-admin'`.execute(harness.db);
  expect(rows).toEqual([]);
});

test('rejects names that no request could contain, and values that no SDK should download', async () => {
  const report = await importWith(`
    insert into projects (id, name) values ('', 'x'), (repeat('p', 300), 'x');
    insert into environments (name, type) values (repeat('e', 300), 'test');
    insert into features (name, project, description) values ('huge', 'default', repeat('d', 9000000))`);

  expect(formatLines(report, 'projects', 'rejected')).toMatch(
    /^entry 1 in Unleash: it has no name; give it one in Unleash, or delete it there\np{300}: its name has 300 characters/,
  );
  expect(formatLines(report, 'environments', 'rejected')).toContain(
    'its name has 300 characters; the maximum is 100',
  );
  expect(formatLines(report, 'features', 'rejected')).toMatch(
    /^huge: it has 9,000,\d+ characters; the maximum is 8,000,000$/,
  );
});

test('a report escapes control characters, and its totals add up', () => {
  const [total, part] = [createReport(), { ...createReport(), created: 2 }];
  addLine(part.rejected, 'a\u001b[2J\u001b]0;title\u0007b\nforged\u202e\u2028');
  addLine(part.rejected, 'x'.repeat(10_000));

  addReport(total, part);
  addReport(total, part);

  expect(total.created).toBe(4);
  expect(total.rejected).toHaveLength(4);
  const lines = formatReport(new Map([['features', total]]), false);
  expect(lines).toContain('  features: a\\u001b[2J\\u001b]0;title\\u0007b\\u000aforged\\u202e\\u2028');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
});

test('an invalid URL is rejected without showing its password', async () => {
  const failing = openSource('postgres://user:secret@[bad/x');

  await expect(failing).rejects.toThrow(
    /^Cannot read the Unleash database: Invalid URL\. Encode special characters in the password, for example @ as %40\.$/,
  );
});

test.each([
  [
    'a wrong database',
    { pathname: '/nowhere' },
    /"nowhere" does not exist\. Check the database name in --from\.$/,
  ],
  [
    'an unknown role',
    { username: 'nobody_here' },
    /"nobody_here" does not exist\. Check the user and the password/,
  ],
  ['a closed port', { port: '1' }, /ECONNREFUSED .*:1\. Check the host and the port in --from/],
  [
    'localhost, which often has two IP addresses',
    { hostname: 'localhost', port: '1' },
    /: connect ECONNREFUSED .*:1\. Check/,
  ],
  ['an unknown host', { hostname: 'nowhere.invalid' }, /nowhere\.invalid\. Check the host in --from\.$/],
])('says what to do about %s', async (_, wrongPart, message) => {
  const url = Object.assign(new URL(harness.databaseUrl), wrongPart);

  await expect(openSource(url.href)).rejects.toThrow(message);
});

test('rejects an event that is too large, even if it is stored compressed, and imports the others', async () => {
  const report = await importWith(`
    insert into events (id, type, created_by, data) values
      (900001, 'feature-updated', 'ada', json_build_object('text', repeat('x', 8000001))),
      (900002, 'feature-updated', 'ada', '{"text": "small"}')`);

  expect(report.get('events')?.rejected).toEqual([
    'event 900001: its data has 8,000,014 bytes; the maximum is 8,000,000',
  ]);
  const { rows } = await sql<{ id: number }>`
    select id + ${2 ** 32}::bigint as id from events where id < 0 and id + ${2 ** 32}::bigint > 900000`.execute(
    harness.db,
  );
  expect(rows.map(({ id }) => Number(id))).toEqual([900_002]);
});

test('names events that cannot be stored or are nested too deeply, but stops at a deeply nested segment', async () => {
  const nestedArrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const report = await importWith(`
    insert into events (id, type, created_by, data) values
      (900011, 'api-token-created', 'ada', '{"secret":${nestedArrays(5_000)}}'),
      (900012, 'feature-updated', 'ada', '{"number":1e400000}'),
      (900013, 'feature-updated', 'ada', '{"number":1}')`);

  expect(report.get('events')?.rejected).toEqual([
    'event 900011: it is nested too deeply',
    expect.stringMatching(/^event 900012: the database cannot store it: .*numeric/),
  ]);
  expect(report.get('events')?.created).toBe(1);
  await expect(
    importWith(
      `insert into segments (id, name, constraints) values (900013, 'deep', '${nestedArrays(200)}')`,
    ),
  ).rejects.toThrow('a value of segments is nested more than 100 levels deep');
});

test('says which table the database role cannot read', async () => {
  const unleash = await createRecordedDatabase('8.2.0');
  const role = `unleash_reader_${randomBytes(6).toString('hex')}`;
  await unleash.run(`create role ${role} login; grant select on all tables in schema public to ${role};
    revoke select on addons from ${role}`);
  onTestFinished(() => unleash.run(`drop owned by ${role}; drop role ${role}`));
  const url = new URL(unleash.url);
  url.username = role;

  await expect(importFrom(url.href)).rejects.toThrow(
    'Cannot read the Unleash database: permission denied for table addons. Grant the role pg_read_all_data, or select on all Unleash tables.',
  );
});

test('very high ids do not exhaust the id sequences, and items that cannot keep their id are reported', async () => {
  const report = await importWith(`
    insert into segments (id, name, constraints) values (2147483647, 'highest', '[]'), (-5, 'below-zero', '[]');
    insert into users (id, username) values (2147483647, 'highest-user');
    insert into roles (id, name, type) values (2147483647, 'highest-role', 'root-custom');
    insert into groups (id, name) values (2147483647, 'highest-group');
    insert into addons (id, provider, parameters, events) values
      (2147483647, 'webhook', '{"url":"https://hooks.example.com"}', '["feature-created"]');
    alter table events alter column id type bigint;
    insert into events (id, type, created_by, data) values
      (-7, 'feature-updated', 'ada', '{}'), (4294967295, 'feature-updated', 'ada', '{}'),
      (4294967296, 'feature-updated', 'ada', '{}')`);

  const { rows } = await sql<{ last: number }>`
    select max(id) as last from segments union all select max(id) from users union all select max(id) from roles
    union all select max(id) from groups`.execute(harness.db);
  expect(Math.max(...rows.map(({ last }) => last))).toBeLessThan(1_000_000);
  expect(await namesIn('segments', 'name')).toEqual(expect.arrayContaining(['highest', 'below-zero']));
  expect(await namesIn('users', 'username')).toContain('highest-user');
  const segment = await call(harness.app, 'POST', '/api/admin/segments', {
    body: { name: 'after-the-highest', constraints: [] },
  });
  expect(segment.status).toBe(201);
  expect(formatLines(report, 'integrations', 'rejected')).toContain(
    'webhook 2147483647: its id is not a number from 1 to 1,000,000,000',
  );
  expect(formatLines(report, 'events', 'rejected')).toBe('events with an id below 1 or above 4294967295: 2');
  const event = await call(harness.app, 'GET', '/api/admin/events/-1');
  expect(event.body).toMatchObject({ importedFrom: { id: 4294967295 } });
});
