import fc from 'fast-check';
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { type Db, openDb } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { makeProject, makeUser, markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { insertRichFeature, insertSegment, type RichFeature } from '../../test/rich-feature.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { readFeatures } from '../features/read.ts';
import type { Feature } from '../features/schema.ts';
import { cloneFeatures } from './clone.ts';
import { PARTS } from './schema.ts';

const harness = useHarness();
const FEATURES_PATH = '/api/admin/projects/default/features';
const get = async (name: string): Promise<Feature> =>
  (await call(harness.app, 'GET', `${FEATURES_PATH}/${name}`)).body;
const clone = (source: string, body: object) =>
  call(harness.app, 'POST', `${FEATURES_PATH}/${source}/clone`, { body });

const word = fc.stringMatching(/^[a-z][a-z0-9]{1,11}$/);
const text = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .filter(value => value.isWellFormed() && !value.includes('\0'));
const weights = fc.uniqueArray(word, { maxLength: 3 }).map(names =>
  names.map(name => ({
    name,
    weight: Math.floor(1_000 / names.length),
    weightType: 'variable' as const,
    stickiness: 'default',
  })),
);
const variants = weights.chain(list =>
  fc.tuple(
    ...list.map(variant =>
      fc.record(
        {
          name: fc.constant(variant.name),
          weight: fc.constant(variant.weight),
          weightType: fc.constant(variant.weightType),
          stickiness: fc.constant(variant.stickiness),
          payload: fc.record({ type: fc.constantFrom('string', 'json'), value: text }),
          overrides: fc.array(fc.record({ contextName: word, values: fc.array(word, { maxLength: 2 }) }), {
            maxLength: 1,
          }),
        },
        { requiredKeys: ['name', 'weight', 'weightType', 'stickiness'] },
      ),
    ),
  ),
) as fc.Arbitrary<Feature['environments'][number]['variants']>;
const strategy = (segments: number[]) =>
  fc.record({
    name: fc.constantFrom('flexibleRollout', 'default', 'remoteAddress'),
    title: fc.option(text, { nil: null }),
    disabled: fc.boolean(),
    // A small range, so that some strategies share a position.
    sortOrder: fc.integer({ min: 0, max: 3 }),
    parameters: fc.oneof(
      fc.record({
        rollout: fc.constantFrom('0', '50'),
        stickiness: word,
        groupId: fc.oneof(word, fc.constant('')),
      }),
      fc.dictionary(word, text, { maxKeys: 2 }),
    ),
    constraints: fc.array(
      fc.record({
        contextName: word,
        operator: fc.constantFrom('IN', 'NOT_IN', 'STR_CONTAINS'),
        values: fc.array(
          text.filter(value => value !== ''),
          { maxLength: 3 },
        ),
        inverted: fc.boolean(),
        caseInsensitive: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
    variants: weights,
    segments: fc.subarray(segments),
  });
const environment = (segments: number[]) =>
  fc.record({ enabled: fc.boolean(), variants, strategies: fc.array(strategy(segments), { maxLength: 5 }) });
const feature = (segments: number[], parents: string[]): fc.Arbitrary<Omit<RichFeature, 'name'>> =>
  fc.record({
    type: fc.constantFrom('release', 'experiment', 'kill-switch'),
    description: fc.option(text, { nil: null }),
    impressionData: fc.boolean(),
    stale: fc.boolean(),
    tags: fc.uniqueArray(fc.record({ type: fc.constant('simple'), value: word }), {
      maxLength: 3,
      selector: tag => tag.value,
    }),
    dependencies: fc.subarray(parents).chain(names =>
      fc.tuple(
        ...names.map(name =>
          fc.record({
            feature: fc.constant(name),
            enabled: fc.boolean(),
            variants: fc.array(word, { maxLength: 2 }),
          }),
        ),
      ),
    ),
    links: fc.array(fc.webUrl(), { maxLength: 2 }),
    environments: fc.record({ development: environment(segments), production: environment(segments) }),
  });

const ADMIN = { id: -42, name: expect.any(String), imageUrl: expect.stringMatching(/^https:/) };

/** Returns the expected copy, computed independently of the implementation. */
function expectedCopy(source: Feature, name: string, replaceGroupId: boolean, include: readonly string[]) {
  const { lastSeenAt: _, ...fields } = source;
  return {
    ...fields,
    name,
    stale: false,
    enabled: false,
    favorite: false,
    links: [],
    children: [],
    tags: include.includes('tags') ? source.tags : [],
    dependencies: include.includes('dependencies') ? source.dependencies : [],
    clonedFrom: { project: source.project, feature: source.name },
    createdAt: expect.any(String),
    createdBy: ADMIN,
    collaborators: { users: [ADMIN] },
    lifecycle: { stage: 'initial', enteredStageAt: expect.any(String) },
    environments: source.environments.map(({ lastSeenAt: __, ...featureEnvironment }) => {
      const strategies = include.includes('strategies') ? featureEnvironment.strategies : [];
      const copiedVariants = include.includes('variants') ? featureEnvironment.variants : [];
      return {
        ...featureEnvironment,
        featureName: name,
        enabled: false,
        variants: copiedVariants,
        variantCount: copiedVariants.length,
        hasStrategies: strategies.length > 0,
        hasEnabledStrategies: strategies.some(({ disabled }) => !disabled),
        strategies: strategies.map(strategy => ({
          ...strategy,
          id: expect.not.stringMatching(strategy.id),
          featureName: name,
          parameters:
            replaceGroupId && strategy.parameters.groupId !== undefined
              ? { ...strategy.parameters, groupId: name }
              : strategy.parameters,
        })),
      };
    }),
  };
}

test(
  `a copy matches its source in the copied parts, and the source stays unchanged (seed ${SEED})`,
  GENERATED,
  async () => {
    const { db } = harness;
    const segments = [await insertSegment(db, 'one'), await insertSegment(db, 'two')];
    const parents = ['parent-a', 'parent-b'];
    for (const name of parents) await insertRichFeature(db, { name });
    const fan = await makeUser(db, 'Viewer');
    let n = 0;

    await fc.assert(
      fc.asyncProperty(
        feature(segments, parents),
        fc.option(fc.boolean(), { nil: undefined }),
        fc.option(fc.subarray([...PARTS]), { nil: undefined }),
        async (rich, replaceGroupId, include) => {
          const name = `source-${++n}`;
          await insertRichFeature(db, { ...rich, name });
          await markSeen(db, name);
          await sql`insert into favorite_features (user_id, feature_name) values (${fan.id}, ${name})`.execute(
            db,
          );
          const source = await get(name);

          const response = await clone(name, { name: `copy-${n}`, replaceGroupId, include });

          expect(response.status).toBe(200);
          expect(response.body).toEqual(
            expectedCopy(source, `copy-${n}`, replaceGroupId ?? true, include ?? PARTS),
          );
          expect(await get(`copy-${n}`)).toEqual(response.body);
          const { rows } = await sql<{ data: object; environment: string }>`
          select data, environment from events where feature_name = ${`copy-${n}`} and type = 'feature-strategy-add'
          order by id`.execute(db);
          expect(rows.map(row => ({ ...row.data, environment: row.environment }))).toEqual(
            (response.body as Feature).environments.flatMap(featureEnvironment =>
              featureEnvironment.strategies.map(({ featureName: _, ...strategy }) => ({
                ...strategy,
                environment: featureEnvironment.name,
              })),
            ),
          );
          expect({ ...(await get(name)), children: [] }).toEqual({ ...source, children: [] });
          const drift = await call(harness.app, 'GET', `${FEATURES_PATH}/copy-${n}/drift`);
          const keepsGroupIds = replaceGroupId === false || !hasCustomGroupId(source);
          if (include === undefined && keepsGroupIds) expect(drift.body.differences).toEqual([]);
        },
      ),
      { numRuns: campaignSize({ usual: 15, long: 600 }), seed: SEED },
    );
  },
);

/** Replacing a groupId that differs from the feature's name makes the copy differ from its source. */
const hasCustomGroupId = ({ environments, name }: Feature): boolean =>
  environments.some(({ strategies }) =>
    strategies.some(({ parameters }) => parameters.groupId !== undefined && parameters.groupId !== name),
  );

test('exactly one of 8 concurrent clones with the same name succeeds', async () => {
  await insertRichFeature(harness.db, {
    name: 'contested-source',
    environments: { development: { strategies: [{}, {}] } },
  });

  const responses = await Promise.all(
    Array.from({ length: 8 }, () => clone('contested-source', { name: 'the-one' })),
  );

  const statuses = responses.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array(7).fill(409)]);
  expect(new Set(responses.filter(({ status }) => status === 409).map(({ body }) => body.name))).toEqual(
    new Set(['NameExistsError']),
  );
  const { rows } = await sql`select from events where feature_name = 'the-one'`.execute(harness.db);
  expect(rows).toHaveLength(3);
});

test('a clone waits for a concurrent transaction that creates the same name, and is rejected with 409', async () => {
  await makeProject(harness.db, { id: 'second-project' });
  await insertRichFeature(harness.db, { name: 'contested' });
  const transaction = await harness.db.startTransaction().execute();
  await sql`insert into features (name, project, type) values ('prize', 'second-project', 'release')`.execute(
    transaction,
  );

  const pendingClone = clone('contested', { name: 'prize' });
  await waitForLockWaiters(harness.db);
  await transaction.commit().execute();

  expect(await pendingClone).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

const ENVIRONMENTS = ['development', 'production', 'stage-1', 'stage-2', 'stage-3'];

/** Creates a feature with a tag, a parent, and the given number of strategies and one variant in each of five environments. */
async function makeFeatureWithStrategies(name: string, strategyCount: number): Promise<void> {
  const list = Array.from({ length: strategyCount }, (_, index) => ({
    name: 'flexibleRollout',
    sortOrder: index,
    parameters: { rollout: '50', stickiness: 'default', groupId: name },
    segments: [1],
  }));
  await insertRichFeature(harness.db, {
    name,
    tags: [{ type: 'simple', value: 'large' }],
    dependencies: [{ feature: 'parent-of-large', enabled: true, variants: [] }],
    environments: Object.fromEntries(
      ENVIRONMENTS.map(environmentName => [
        environmentName,
        {
          strategies: list,
          variants: [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
        },
      ]),
    ),
  });
}

test('cloning 30 strategies per environment takes as many statements as cloning 1', async () => {
  for (const name of ENVIRONMENTS.slice(2)) {
    await call(harness.app, 'POST', '/api/admin/environments', { body: { name, type: 'test' } });
    await call(harness.app, 'POST', '/api/admin/projects/default/environments', {
      body: { environment: name },
    });
  }
  await insertRichFeature(harness.db, { name: 'parent-of-large' });
  await makeFeatureWithStrategies('large', 30);
  await makeFeatureWithStrategies('small', 1);
  const statementsToClone = async (source: string) => {
    const statementsBefore = harness.statements.length;
    expect((await clone(source, { name: `${source}-copy` })).status).toBe(200);
    return harness.statements.slice(statementsBefore);
  };

  const largeStatements = await statementsToClone('large');
  const smallStatements = await statementsToClone('small');

  expect(largeStatements).toHaveLength(smallStatements.length);
  expect((await get('large-copy')).environments.map(({ strategies }) => strategies.length)).toEqual(
    Array(5).fill(30),
  );
});

/** Returns a hash of every table that a clone writes to. */
async function fingerprint(db: Db): Promise<string[]> {
  const tables = [
    ...[
      'features',
      'feature_environments',
      'feature_strategies',
      'feature_strategy_segments',
      'feature_tags',
    ],
    ...[
      'feature_dependencies',
      'feature_lifecycles',
      'feature_collaborators',
      'events',
      'event_creators',
      'tags',
    ],
  ];
  const hashes: string[] = [];
  for (const table of tables) {
    const { rows } = await sql<{ hash: string }>`
      select ${table} || coalesce(md5(string_agg(one::text, '|' order by one::text)), '') as hash
      from ${sql.table(table)} as one`.execute(db);
    hashes.push(rows[0]?.hash ?? '');
  }
  return hashes;
}

/** Terminates the connection after the given number of statements. */
class CrashPlugin implements KyselyPlugin {
  statementCount = 0;
  readonly statementLimit: number;
  readonly db: Db;
  pid = 0;

  constructor(db: Db, statementLimit: number) {
    this.db = db;
    this.statementLimit = statementLimit;
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node;

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    if (++this.statementCount === this.statementLimit)
      await sql`select pg_terminate_backend(${this.pid})`.execute(this.db);
    return result;
  };
}

test('a connection that breaks after any statement of a clone leaves no partial copy', async () => {
  const { db } = harness;
  await insertRichFeature(db, { name: 'crash-parent' });
  await insertRichFeature(db, {
    name: 'crashing',
    tags: [{ type: 'simple', value: 'crash' }],
    dependencies: [{ feature: 'crash-parent', enabled: true, variants: [] }],
    environments: {
      production: {
        strategies: [{ segments: [1] }],
        variants: [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
      },
    },
  });
  const fingerprintBefore = await fingerprint(db);
  const attempt = async (statementLimit: number) => {
    const fragileDb = openDb({ url: harness.databaseUrl, poolSize: 1, onError: () => {} });
    const crash = new CrashPlugin(db, statementLimit);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(fragileDb);
    crash.pid = rows[0]?.pid ?? 0;
    const input = {
      project: 'default',
      features: [{ source: 'crashing', name: `crashed-${statementLimit}` }],
      options: { replaceGroupId: true, include: PARTS, environments: undefined },
      planId: undefined,
    };
    const outcome = await change(
      fragileDb.withPlugin(crash),
      SYSTEM,
      current => cloneFeatures(current, input, Number.POSITIVE_INFINITY),
      tx => readFeatures(tx, SYSTEM, 'default', [`crashed-${statementLimit}`]),
    ).then(
      () => 'created',
      () => 'failed',
    );
    await fragileDb.destroy();
    return { outcome, statementCount: crash.statementCount };
  };

  const failedLimits: number[] = [];
  for (let statementLimit = 1; ; statementLimit++) {
    const { outcome } = await attempt(statementLimit);
    const currentFingerprint = await fingerprint(db);
    if (JSON.stringify(currentFingerprint) !== JSON.stringify(fingerprintBefore)) {
      // In the first attempt that leaves a copy, the connection breaks only after the commit, so the clone succeeds.
      expect(outcome).toBe('created');
      break;
    }
    expect(outcome).toBe('failed');
    failedLimits.push(statementLimit);
  }

  expect(failedLimits).toHaveLength(20);
  const copy = await get(`crashed-${failedLimits.length + 1}`);
  expect(copy).toMatchObject({ tags: [{ value: 'crash' }], dependencies: [{ feature: 'crash-parent' }] });
});
