import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { change } from '../change.ts';

const harness = useHarness();
let serverUrl: string;

const EVENTS = 4_000;
const PATH = '/api/admin/search/events/export';

beforeAll(async () => {
  await makeProject(harness.db, { id: 'secret-project', mode: 'private' });
  // The events take up 24 MB, more than fits into the buffers between server and client.
  await sql`
    insert into events (group_id, type, created_by, project, data)
    select 'large', 'segment-updated', 'someone', case when n % 2 = 0 then 'default' else 'secret-project' end,
      jsonb_build_object('number', n, 'text', repeat('x', 6000))
    from generate_series(1, ${EVENTS}::integer) as n`.execute(harness.db);
  serverUrl = await (await harness.secondServer()).listen({ port: 0, host: '127.0.0.1' });
});

/** Requests an export without reading the response, which is left to the test. */
async function connect(token = ADMIN_TOKEN, query = 'groupId=IS:large'): Promise<IncomingMessage> {
  const request = get(`${serverUrl}${PATH}?${query}`, { headers: { authorization: token }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}

async function readRest(response: IncomingMessage): Promise<{ id: number; project: string }[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
    .map(({ id, project }) => ({ id, project }));
}

/** Counts the connections that read a batch, or have a transaction open after a batch. */
const countBusyConnections = async () =>
  (
    await sql`
      select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query like '%weight_so_far - weight%'
        and pid <> pg_backend_pid()`.execute(harness.db)
  ).rows.length;

test('an export holds no database connection while the client is not reading', async () => {
  const response = await connect();

  await expect.poll(countBusyConnections).toBe(0);
  await sleep(200);

  expect(await countBusyConnections()).toBe(0);
  expect(await readRest(response)).toHaveLength(EVENTS);
});

test('an export omits events that are written while it is running', async () => {
  const write = () =>
    change(harness.db, SYSTEM, async ({ record }) => record({ type: 'segment-updated', project: 'default' }));
  await write();
  const response = await connect(ADMIN_TOKEN, 'type=IS:segment-updated');
  for (let n = 0; n < 5; n++) await write();

  const foundIds = (await readRest(response)).map(({ id }) => id);

  expect(foundIds).toHaveLength(EVENTS + 1);
  expect(new Set(foundIds).size).toBe(EVENTS + 1);
  expect(foundIds).toEqual(foundIds.toSorted((a, b) => b - a));
});

test('a user who loses access to a project during an export gets no further events of that project', async () => {
  const user: TestUser = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, 'secret-project', 'Reader');
  const response = await connect(user.token);
  await expect.poll(countBusyConnections).toBe(0);

  await sql`delete from user_roles where project = 'secret-project'`.execute(harness.db);
  const projects = (await readRest(response)).map(({ project }) => project);

  const secretCount = projects.filter(project => project === 'secret-project').length;
  expect(secretCount).toBeGreaterThan(0);
  expect(secretCount).toBeLessThan(EVENTS / 2);
  expect(projects.slice(-1_000)).toEqual(Array(1_000).fill('default'));
  expect(projects.filter(project => project === 'default')).toHaveLength(EVENTS / 2);
});

test.each([
  ['the token is revoked', sql`delete from personal_access_tokens where user_id = `],
  ['the caller is no longer a root admin', sql`delete from user_roles where user_id = `],
])('aborts the response when %s', async (_, statement) => {
  const user = await makeUser(harness.db, 'Admin');
  const response = await connect(user.token);
  await expect.poll(countBusyConnections).toBe(0);

  await sql`${statement}${user.id}`.execute(harness.db);

  await expect(readRest(response)).rejects.toThrow('aborted');
});

test('a client that disconnects releases its export slot for the same caller', async () => {
  for (let n = 0; n < 5; n++) {
    const response = await connect();
    response.destroy();
    await once(response, 'close');
  }

  expect(await readRest(await connect())).toHaveLength(EVENTS);
});

test('cuts off clients that stop reading, after which the caller can export again', async () => {
  const user = await makeUser(harness.db, 'Admin');
  const pausedClients = [await connect(user.token), await connect(user.token)];

  // The clients occupy both of the caller's export slots for 10 s, which is how long a client may read nothing. Two new exports are
  // accepted simultaneously only after both clients are cut off. Until then, the test must not read, because that would revive a client.
  const requestTwoExports = async () => {
    const newExports = await Promise.all([connect(user.token), connect(user.token)]);
    return newExports.map(response => response.destroy().statusCode);
  };
  await expect.poll(requestTwoExports).toEqual([200, 200]);

  for (const response of pausedClients) await expect(readRest(response)).rejects.toThrow('aborted');
  expect(await readRest(await connect(user.token))).toHaveLength(EVENTS);
});
