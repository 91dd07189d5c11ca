import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { Tx } from '../../platform/db/database.ts';
import { campaignSize, SEED } from '../../test/campaign.ts';
import { randomFrom } from '../../test/delivery-campaign.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { findWrongRevisions, recordDocuments } from '../../test/sdk-history.ts';
import { findDifferences } from './verify.ts';

const ROUNDS = campaignSize({ usual: 4, long: 1_000 });
const CHANGES_PER_ROUND = 4;
const WORKERS = 6;
const PROJECTS = ['north', 'south'];
const ENVIRONMENTS = ['development', 'production', 'staging'];
const FLAGS = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6'];

const harness = useHarness();
let segments: number[] = [];

type Random = { pick: <T>(list: readonly T[]) => T; chance: (share: number) => boolean };
type Change = (random: Random) => Promise<unknown>;

beforeAll(async () => {
  await callApi('POST', '/api/admin/environments', { name: 'staging', type: 'test' });
  for (const id of PROJECTS)
    await callApi('POST', '/api/admin/projects', { id, name: id, environments: ENVIRONMENTS });
  for (const name of ['s1', 's2', 's3']) {
    const { body } = await callApi('POST', '/api/admin/segments', { name, constraints: [] });
    segments = [...segments, body.id];
  }
  await recordDocuments(harness.db);
});

const callApi = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  await call(harness.app, method, url, body === undefined ? {} : { body });

const constraint = (value: string) => ({ contextName: 'userId', operator: 'IN', values: [value] });

/** Returns the path of a flag in its current project, or in a project that the flag is not in. */
async function findFlagPath({ pick }: Random): Promise<string> {
  const name = pick(FLAGS);
  const { rows } = await sql<{ project: string }>`select project from features where name = ${name}`.execute(
    harness.db,
  );
  return `/api/admin/projects/${rows[0]?.project ?? pick(PROJECTS)}/features/${name}`;
}

async function findStrategyPath(random: Random): Promise<string> {
  const { rows } = await sql<{ id: string; feature_name: string; environment: string; project: string }>`
    select id, feature_name, environment, project from feature_strategies join features on name = feature_name
    order by id`.execute(harness.db);
  if (rows.length === 0) return await findFlagPath(random);
  const { id, feature_name, environment, project } = random.pick(rows);
  return `/api/admin/projects/${project}/features/${feature_name}/environments/${environment}/strategies/${id}`;
}

const splitFlagPath = (path: string): [string, string] => {
  const [, project = '', name = ''] = /projects\/([^/]+)\/features\/([^/]+)/.exec(path) ?? [];
  return [`/api/admin/projects/${project}`, name];
};

/** API requests. Some are rejected, for example because the flag does not exist. */
const REQUESTS: Change[] = [
  async ({ pick }) =>
    await callApi('POST', `/api/admin/projects/${pick(PROJECTS)}/features`, {
      name: pick(FLAGS),
      type: 'release',
    }),
  async ({ pick }) =>
    await callApi('POST', `/api/admin/projects/${pick(PROJECTS)}/features`, {
      name: pick(FLAGS),
      type: 'experiment',
    }),
  async random => {
    const environment = random.pick(ENVIRONMENTS);
    return await callApi(
      'POST',
      `${await findFlagPath(random)}/environments/${environment}/${random.pick(['on', 'off'])}`,
    );
  },
  async random =>
    await callApi(
      'POST',
      `${await findFlagPath(random)}/environments/${random.pick(ENVIRONMENTS)}/strategies`,
      {
        name: 'flexibleRollout',
        disabled: random.chance(0.3),
        parameters: { rollout: random.pick(['0', '50', '100']), stickiness: 'default', groupId: 'g' },
        constraints: random.chance(0.5) ? [constraint(random.pick(['7', '11']))] : [],
        segments: segments.filter(() => random.chance(0.4)),
      },
    ),
  async random =>
    await callApi('PATCH', await findStrategyPath(random), [
      { op: 'replace', path: '/disabled', value: random.chance(0.5) },
    ]),
  async random => await callApi('DELETE', await findStrategyPath(random)),
  async random => {
    const [project, name] = splitFlagPath(await findFlagPath(random));
    return await callApi('POST', `${project}/${random.pick(['archive', 'revive', 'delete'])}`, {
      features: [name],
    });
  },
  async random => {
    const path = await findFlagPath(random);
    return await callApi('POST', `${path}/changeProject`, { newProjectId: random.pick(PROJECTS) });
  },
  async random =>
    await callApi('PATCH', await findFlagPath(random), [
      { op: 'replace', path: '/stale', value: random.chance(0.5) },
    ]),
  async random =>
    await callApi('POST', `${await findFlagPath(random)}/dependencies`, {
      feature: random.pick(FLAGS),
      enabled: random.chance(0.5),
    }),
  async random => await callApi('DELETE', `${await findFlagPath(random)}/dependencies`),
  async random => {
    const [, name] = splitFlagPath(await findFlagPath(random));
    return await callApi('POST', `/api/admin/features/${name}/tags`, {
      type: 'simple',
      value: random.pick(['red', 'blue']),
    });
  },
  async random => {
    const [, name] = splitFlagPath(await findFlagPath(random));
    return await callApi('DELETE', `/api/admin/features/${name}/tags/simple/${random.pick(['red', 'blue'])}`);
  },
  async random =>
    await callApi('PUT', `/api/admin/segments/${random.pick(segments)}`, {
      name: random.pick(['s1', 's2', 's3', 's4']),
      constraints: [constraint(random.pick(['1', '2', '3']))],
    }),
  async random =>
    await callApi('POST', `${await findFlagPath(random)}/clone`, {
      name: random.pick(FLAGS),
      project: random.pick(PROJECTS),
    }),
  async random => {
    const path = `/api/admin/projects/${random.pick(PROJECTS)}/environments`;
    return random.chance(0.5)
      ? await callApi('POST', path, { environment: 'staging' })
      : await callApi('DELETE', `${path}/staging`);
  },
  async random =>
    random.chance(0.5)
      ? await callApi('POST', '/api/admin/environments', { name: 'staging', type: 'test' })
      : await callApi('DELETE', '/api/admin/environments/staging'),
];

/** Statements that a different application runs. */
const STATEMENTS: ((random: Random) => RawBuilder<unknown>)[] = [
  ({ pick }) =>
    sql`update feature_environments set enabled = not enabled where feature_name = ${pick(FLAGS)} and environment = ${pick(ENVIRONMENTS)}`,
  () => sql`update feature_environments set enabled = not enabled`,
  ({ pick }) => sql`
    insert into feature_strategies (feature_name, environment, strategy_name, sort_order)
    select feature_name, environment, 'default', 1 from feature_environments where feature_name = ${pick(FLAGS)}`,
  ({ pick }) =>
    sql`update feature_strategies set disabled = not disabled where environment = ${pick(ENVIRONMENTS)}`,
  ({ pick }) => sql`delete from feature_strategies where feature_name = ${pick(FLAGS)}`,
  ({ pick }) => sql`
    insert into feature_strategy_segments select id, ${pick(segments)}::integer from feature_strategies
    where feature_name = ${pick(FLAGS)} on conflict do nothing`,
  ({ pick }) => sql`delete from feature_strategy_segments where segment_id = ${pick(segments)}`,
  ({
    pick,
  }) => sql`update feature_strategy_segments set segment_id = ${pick(segments)} where segment_id = ${pick(segments)}
    and not exists (select from feature_strategy_segments as other where other.strategy_id = feature_strategy_segments.strategy_id
      and other.segment_id <> feature_strategy_segments.segment_id)`,
  ({ pick }) =>
    sql`update segments set constraints = ${JSON.stringify([constraint(pick(['8', '9']))])} where id = ${pick(segments)}`,
  ({ pick }) => sql`update features set project = ${pick(PROJECTS)} where name = ${pick(FLAGS)}`,
  ({ pick, chance }) =>
    sql`update features set archived_at = ${chance(0.5) ? sql`now()` : sql`null`} where name = ${pick(FLAGS)}`,
  ({ pick }) => sql`update features set name = ${pick(FLAGS)} where name = ${pick(FLAGS)}`,
  ({ pick }) => sql`delete from features where name = ${pick(FLAGS)}`,
  ({ pick }) =>
    sql`delete from feature_environments where feature_name = ${pick(FLAGS)} and environment = ${pick(ENVIRONMENTS)}`,
];

/** Error codes: conflicts, waits that took too long, and rows that the schema rejects. */
const EXPECTED_CODES = /^(40|23|0A|55P03|57014)/;

/** A transaction of a different application: several statements, some of them rolled back, with any isolation level. */
const runPlainSql: Change = async ({ pick, chance }) => {
  const transaction = chance(0.1)
    ? harness.db.transaction().setIsolationLevel('repeatable read')
    : harness.db.transaction();
  const run = async (tx: Tx) => {
    for (let remaining = pick([1, 2, 3]); remaining > 0; remaining--) {
      await sql`savepoint part`.execute(tx);
      await pick(STATEMENTS)({ pick, chance }).execute(tx);
      if (chance(0.2)) await sql`rollback to part`.execute(tx);
      if (chance(0.3)) await sleep(pick([0, 5, 20]));
    }
    if (chance(0.1)) throw new Abandoned();
  };
  await transaction.execute(run).catch((error: unknown) => {
    if (error instanceof Abandoned) return;
    if (!(error instanceof pg.DatabaseError && EXPECTED_CODES.test(error.code ?? ''))) throw error;
  });
};

class Abandoned extends Error {}

const makeRandom = (seed: number): Random => {
  const nextRandom = randomFrom(seed);
  return {
    pick: list => list[Math.floor(nextRandom() * list.length)] as (typeof list)[number],
    chance: share => nextRandom() < share,
  };
};

test(`documents match their rows, and revisions have no gaps, no matter what changes concurrently (SEED=${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const statuses = new Set<number>();
  const randoms = Array.from({ length: WORKERS }, (_, index) => makeRandom(SEED + index));
  const work = async (random: Random) => {
    for (let remaining = CHANGES_PER_ROUND; remaining > 0; remaining--) {
      const result = await (random.chance(0.4) ? runPlainSql : random.pick(REQUESTS))(random);
      const { status = 0, body } = (result ?? {}) as { status?: number; body?: unknown };
      statuses.add(status);
      if (status === 500) throw new Error(JSON.stringify(body));
    }
  };

  for (let round = 0; round < ROUNDS; round++) {
    await createMissing();
    await Promise.all(randoms.map(work));
    // A later change would hide a wrong document.
    expect(await findDifferences(harness.db), `round ${round}`).toEqual([]);
  }

  expect(await findWrongRevisions(harness.db)).toEqual([]);
  const marks = await sql`select from sdk_marks`.execute(harness.db);
  expect(marks.rows).toEqual([]);
  expect([200, 201].filter(status => !statuses.has(status))).toEqual([]);
});

/** Creates the flags and the environment that are missing, so that most changes of the next round have an effect. */
async function createMissing(): Promise<void> {
  await callApi('POST', '/api/admin/environments', { name: 'staging', type: 'test' });
  for (const project of PROJECTS)
    await callApi('POST', `/api/admin/projects/${project}/environments`, { environment: 'staging' });
  for (const [index, name] of FLAGS.entries()) {
    const path = `/api/admin/projects/${PROJECTS[index % 2]}`;
    await callApi('POST', `${path}/features`, { name, type: 'release' });
    await callApi('POST', `${path}/revive`, { features: [name] });
  }
}
