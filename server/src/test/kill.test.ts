import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { toggleFeatures } from '../flags/feature-environments/toggle.ts';
import { createFeature } from '../flags/features/create.ts';
import { SYSTEM } from '../platform/actor.ts';
import { type Db, openDb, type Tx } from '../platform/db/database.ts';
import { change } from '../record/change.ts';
import { campaignSize, SEED } from './campaign.ts';
import { type EventRecord, findInconsistencies, readState, type State } from './consistency.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from './database.ts';
import { makeApiToken, makeProject, makeUser } from './factories.ts';
import { ADMIN_TOKEN, useHarness } from './harness.ts';
import { startProcess, stopProcess } from './process.ts';

const ROUNDS = campaignSize({ usual: 3, long: 30 });
const CHANGES = { create: 60, settings: 60, archive: 25, delete: 15, token: 40 };
const FEATURES = 20;

test('a server that is killed during 220 changes leaves no change without events and no event without a change', {
  timeout: 1_200_000,
}, async () => {
  const random = randomFrom(SEED);
  const name = `halyard_test_${randomBytes(6).toString('hex')}`;
  const counts = { succeeded: 0, rejected: 0, noResponse: 0, noResponseButDone: 0 };
  await createDatabase(name);
  let server = await startServer(getDatabaseUrl(name));
  const db = openDb({ url: getDatabaseUrl(name), poolSize: 1, onError: () => {} });

  try {
    const user = await makeUser(db, 'Admin');
    for (let n = 0; n < 60; n++) await makeProject(db, { id: `first-${n}`, name: 'Project' });
    for (let n = 0; n < FEATURES; n++) await makeEnabledFeature(db, `feature-${n}`);
    for (let round = 0; round < ROUNDS; round++) {
      const stateBefore = await readState(db);
      const attempts = planChanges(stateBefore, `round-${round}`, random);
      const responses = attempts.map(attempt => send(server.url, attempt, [ADMIN_TOKEN, user.token]));
      await waitForResponses(responses, Math.floor(random() * 210));
      await sleep(random() * 20);
      await stopProcess(server, 'SIGKILL');
      const statuses = await Promise.all(responses);
      await waitUntilOthersDisconnect(db);

      const stateAfter = await readState(db);
      const addedEvents = stateAfter.events.slice(stateBefore.events.length);
      const problems = [
        ...findInconsistencies(stateAfter),
        ...attempts.flatMap((attempt, n) => findViolations(attempt, statuses[n], addedEvents)),
      ];
      expect(problems, `round ${round} with SEED=${SEED}`).toEqual([]);
      for (const [n, attempt] of attempts.entries()) {
        const status = statuses[n];
        if (status === undefined && addedEvents.some(attempt.isRecordedBy)) counts.noResponseButDone++;
        counts[status === undefined ? 'noResponse' : status < 300 ? 'succeeded' : 'rejected']++;
      }
      server = await startServer(getDatabaseUrl(name));
    }

    const { events } = await readState(db);
    expect(await countThroughApi(server.url)).toBe(events.length);
    const summary = JSON.stringify({ seed: SEED, rounds: ROUNDS, ...counts, events: events.length });
    process.stdout.write(`kill -9: ${summary}\n`);
    // If no change succeeded, or if all got a response, the server was killed before or after the changes rather than while they ran.
    expect(counts.succeeded, summary).toBeGreaterThan(0);
    expect(counts.noResponse, summary).toBeGreaterThan(0);
  } finally {
    if (server.process.exitCode === null && server.process.signalCode === null)
      await stopProcess(server, 'SIGKILL');
    await db.destroy();
    await dropDatabase(name);
  }
});

const harness = useHarness();

test.each<[string, (tx: Tx) => Promise<unknown>, string]>([
  [
    'a project deleted without an event',
    tx => sql`delete from projects where id = 'checked'`.execute(tx),
    'project checked: it has events but no row',
  ],
  [
    'a project inserted without an event',
    tx => sql`insert into projects (id, name) values ('untold', 'Untold')`.execute(tx),
    'project untold: it has a row but no event',
  ],
  [
    'a project changed without an event',
    tx => sql`update projects set name = 'Other' where id = 'checked'`.execute(tx),
    'project checked: its row differs from its events',
  ],
  [
    'a project archived without an event',
    tx => sql`update projects set archived_at = now() where id = 'checked'`.execute(tx),
    'project checked: its row differs from its events',
  ],
  [
    'a project written without an event, even if no value changed',
    tx => sql`update projects set name = name where id = 'checked'`.execute(tx),
    'project checked: its row was not written by the transaction of its last event',
  ],
  [
    'an event without its change',
    tx => insertEvent(tx, { type: 'project-archived', project: 'checked', group: 'g' }),
    'project checked: its row differs from its events',
  ],
  [
    'a token inserted without an event',
    tx =>
      sql`insert into api_tokens (hash, type, name, hint, all_projects) values ('x', 'client', 'untold', '', true)`.execute(
        tx,
      ),
    'token untold: it has a row but no event',
  ],
  [
    'a token revoked without an event',
    tx => sql`update api_tokens set revoked_at = now() where name = 'checked'`.execute(tx),
    'token checked: its row differs from its events',
  ],
  [
    'a role granted without an event',
    tx =>
      sql`insert into user_roles (user_id, role_id, project)
        select id, 6, 'checked' from users limit 1`.execute(tx),
    'roles: the rows differ from the events',
  ],
  [
    'a feature that is enabled without an enabled strategy',
    tx => sql`update feature_strategies set disabled = true where feature_name = 'checked'`.execute(tx),
    'feature checked in production: it is enabled without an enabled strategy',
  ],
  [
    'a feature disabled without an event',
    tx => sql`update feature_environments set enabled = false where feature_name = 'checked'`.execute(tx),
    'feature checked in production: enabled differs from its events',
  ],
  [
    'a strategy deleted without an event',
    tx => sql`delete from feature_strategies where feature_name = 'checked'`.execute(tx),
    'feature checked in production: its strategies differ from its events',
  ],
  [
    'one transaction with the events of two changes',
    async tx => {
      await insertEvent(tx, { type: 'tag-created', project: null, group: 'one' });
      await insertEvent(tx, { type: 'tag-created', project: null, group: 'two' });
    },
    'a transaction has the groups one, two',
  ],
])('finds %s', async (_, plant, problem) => {
  await createEverything(harness.db);
  expect(findInconsistencies(await readState(harness.db))).toEqual([]);

  const found = await runAndRollBack(harness.db, async tx => {
    await plant(tx);
    return findInconsistencies(await readState(tx));
  });

  expect(found).toContain(problem);
});

async function createEverything(db: Db): Promise<void> {
  const { projects } = await readState(db);
  if (projects.some(project => project.id === 'checked')) return;
  await makeUser(db, 'Viewer');
  await makeProject(db, { id: 'checked' });
  await makeEnabledFeature(db, 'checked');
  await makeApiToken(db, { tokenName: 'checked', type: 'client', environment: 'production' });
}

async function insertEvent(
  tx: Tx,
  { type, project, group }: { type: string; project: string | null; group: string },
): Promise<void> {
  await sql`insert into events (type, project, group_id, created_by)
    values (${type}, ${project}, ${group}, 'test')`.execute(tx);
}

async function runAndRollBack<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute();
  try {
    return await work(tx);
  } finally {
    await tx.rollback().execute();
  }
}

const startServer = (databaseUrl: string) =>
  startProcess({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    HALYARD_INIT_ADMIN_TOKENS: ADMIN_TOKEN,
    HALYARD_MAX_PROJECTS: '10000',
  });

/**
 * Waits until all other connections are gone, because PostgreSQL may still be busy with a statement or a commit of the dead
 * process.
 */
async function waitUntilOthersDisconnect(db: Db): Promise<void> {
  for (let n = 0; n < 3_000; n++) {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'`.execute(db);
    if (rows.length === 0) return;
    await sleep(20);
  }
  throw new Error('Connections of the killed server are still open');
}

type Attempt = {
  method: string;
  path: string;
  body?: object;
  /** The index of the caller that sends the change. */
  caller: 0 | 1;
  /**
   * Whether an event belongs to the change. This is true only for the event that the change records, not for events of other
   * changes in the same round.
   */
  isRecordedBy: (event: EventRecord) => boolean;
};

/**
 * Plans the changes of a round. Settings, archiving and deletion change the same projects, so these changes also wait for each
 * other.
 */
function planChanges({ projects: all, features }: State, round: string, random: () => number): Attempt[] {
  const projects = shuffle(
    all.filter(project => project.id !== 'default'),
    random,
  );
  const anyProject = () => projects[Math.floor(random() * projects.length)]?.id;
  const repeat = <T>(count: number, make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));
  const path = '/api/admin/projects';

  const creates = repeat(CHANGES.create, (n): Attempt => {
    const id = `${round}-${n}`;
    return {
      method: 'POST',
      path,
      body: { id, name: 'Project' },
      caller: n % 2 === 0 ? 0 : 1,
      isRecordedBy: event => event.type === 'project-created' && event.project === id,
    };
  });
  const settings = repeat(CHANGES.settings, (n): Attempt => {
    const defaultStickiness = `${round}-${n}`;
    return {
      method: 'PUT',
      path: `${path}/${anyProject()}/settings`,
      body: { defaultStickiness, featureLimit: n },
      caller: 0,
      isRecordedBy: ({ type, data }) =>
        type === 'project-updated' && data?.defaultStickiness === defaultStickiness,
    };
  });
  const archives = projects.slice(0, CHANGES.archive).map(({ id, archivedAt }): Attempt => {
    const action = archivedAt === null ? 'archive' : 'revive';
    return {
      method: 'POST',
      path: `${path}/${action}/${id}`,
      caller: 0,
      isRecordedBy: event => event.type === `project-${action}d` && event.project === id,
    };
  });
  const deletes = projects.slice(-CHANGES.delete).map(
    ({ id }): Attempt => ({
      method: 'DELETE',
      path: `${path}/${id}`,
      caller: 0,
      isRecordedBy: event => event.type === 'project-deleted' && event.project === id,
    }),
  );
  const tokens = repeat(CHANGES.token, (n): Attempt => {
    const tokenName = `${round}-${n}`;
    return {
      method: 'POST',
      path: '/api/admin/api-tokens',
      body: {
        tokenName,
        type: 'client',
        environment: 'production',
        project: n % 2 === 0 ? '*' : anyProject(),
      },
      caller: 0,
      isRecordedBy: ({ type, data }) => type === 'api-token-created' && data?.tokenName === tokenName,
    };
  });
  const lastStrategies = features
    .filter(({ environment }) => environment === 'production')
    .map(({ name, enabled, strategies }): Attempt => {
      const environmentPath = `${path}/default/features/${name}/environments/production`;
      const type = enabled ? 'feature-environment-disabled' : 'feature-environment-enabled';
      return {
        method: enabled ? 'DELETE' : 'POST',
        path: enabled ? `${environmentPath}/strategies/${strategies[0]}` : `${environmentPath}/on`,
        caller: 0,
        isRecordedBy: event => event.type === type && event.featureName === name,
      };
    });
  return shuffle([...creates, ...settings, ...archives, ...deletes, ...tokens, ...lastStrategies], random);
}

/** Creates a feature that is enabled in production with one strategy. */
async function makeEnabledFeature(db: Db, name: string): Promise<void> {
  await change(db, SYSTEM, async current => {
    await createFeature(current, 'default', { name });
    await toggleFeatures(current, 'default', 'production', [name], true);
  });
}

/** Returns the status of the response, or undefined if there was none. */
async function send(url: string, attempt: Attempt, callers: [string, string]): Promise<number | undefined> {
  try {
    const response = await fetch(url + attempt.path, {
      method: attempt.method,
      headers: {
        authorization: callers[attempt.caller],
        ...(attempt.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(attempt.body ? { body: JSON.stringify(attempt.body) } : {}),
      signal: AbortSignal.timeout(20_000),
    });
    // The status has arrived, even if the rest of the response was cut off.
    await response.arrayBuffer().catch(() => {});
    return response.status;
  } catch {
    return undefined;
  }
}

/** Waits for a number of responses rather than for a time, because 220 changes can take 0.6 s or many times longer. */
async function waitForResponses(responses: Promise<unknown>[], expectedCount: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  for (const response of responses) {
    void response.then(() => {
      if (++count >= expectedCount) resolve();
    });
  }
  await promise;
}

async function countThroughApi(url: string): Promise<number> {
  const response = await fetch(`${url}/api/admin/search/events?limit=1`, {
    headers: { authorization: ADMIN_TOKEN },
  });
  return ((await response.json()) as { total: number }).total;
}

/**
 * Returns what is wrong with the events of a change. A successful change has its event, a rejected change has none, and a change
 * without a response has at most one. On a busy machine, a change may wait too long for a lock or a connection and is then rejected
 * with 503.
 */
function findViolations(attempt: Attempt, status: number | undefined, addedEvents: EventRecord[]): string[] {
  const events = addedEvents.filter(attempt.isRecordedBy).length;
  const isRejected = (code: number) => code < 500 || code === 503;
  const isConsistent =
    status === undefined ? events <= 1 : status < 300 ? events === 1 : isRejected(status) && events === 0;
  return isConsistent ? [] : [`${attempt.method} ${attempt.path}: status ${status}, ${events} events`];
}

function shuffle<T>(items: T[], random: () => number): T[] {
  return items
    .map(item => ({ item, sortKey: random() }))
    .toSorted((a, b) => a.sortKey - b.sortKey)
    .map(({ item }) => item);
}

/** Creates a Mulberry32 generator, so that a run can be repeated with its seed, except for the timing of the machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
