import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  constraintsThatBreakRule,
  mayBreakRule,
  parametersThatBreakRule,
} from '../../../targeting/rule-text/store.ts';
import {
  constraintValueProblem,
  contextNameProblem,
  PARAMETERS,
  parameterViolations,
} from '../../../targeting/rule-text/violations.ts';
import { makeProject } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();
let project: string;
let count = 0;

const admin = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown) =>
  call(harness.app, method, `/api/admin/${path}`, body === undefined ? {} : { body });
const found = async () =>
  (await admin('GET', `projects/${project}/health?rule=IS:unreadable-strategy`)).body.findings;

async function makeFlag(strategy: unknown = { name: 'default' }): Promise<{ name: string; id: string }> {
  const name = `unreadable-${++count}`;
  await admin('POST', `projects/${project}/features`, { name });
  const { status, body } = await admin('POST', strategiesOf(name), strategy);
  expect(status).toBe(200);
  return { name, id: body.id };
}
const strategiesOf = (name: string) =>
  `projects/${project}/features/${name}/environments/production/strategies`;

/** Stores what a version without the rule accepted. */
async function store(id: string, columns: { parameters?: unknown; constraints?: unknown }): Promise<void> {
  const { parameters = {}, constraints = [] } = columns;
  await sql`
    update feature_strategies
    set strategy_name = 'flexibleRollout', parameters = ${JSON.stringify(parameters)}::jsonb, constraints = ${JSON.stringify(constraints)}::jsonb
    where id = ${id}`.execute(harness.db);
}
const constraint = (value: string) => ({ contextName: 'path', operator: 'IN', values: [value] });

beforeEach(async () => {
  ({ id: project } = await makeProject(harness.db));
});

const BAD = [
  { constraints: [constraint('C:\\')] },
  { constraints: [constraint('a\\"b')] },
  { constraints: [{ contextName: 'a"b', operator: 'IN', values: ['x'] }] },
  { constraints: [{ contextName: 'path', operator: 'REGEX', value: 'x\\\\' }] },
  { parameters: { groupId: 'a"b' } },
  { parameters: { groupId: 'a\\' } },
  { parameters: { stickiness: 'a"b' } },
];

test.each(BAD)('no operation stores a strategy with %j', async strategy => {
  const body = { name: 'flexibleRollout', ...strategy };
  const { name, id } = await makeFlag();
  const exported = { features: [{ name }], featureStrategies: [{ ...body, featureName: name }] };
  const responses = [
    await admin('POST', strategiesOf(name), body),
    await admin('PUT', `${strategiesOf(name)}/${id}`, body),
    await admin(
      'PATCH',
      `${strategiesOf(name)}/${id}`,
      Object.entries(body).map(([field, value]) => ({ op: 'add', path: `/${field}`, value })),
    ),
    await admin('PUT', strategiesOf(name), [{ id, ...body }]),
    await admin('POST', `projects/${project}/environments/production/default-strategy`, body),
    await admin('POST', 'features-batch/import', { project, environment: 'production', data: exported }),
    ...(strategy.constraints
      ? [
          await admin('POST', 'segments', {
            name: `unreadable-${++count}`,
            constraints: strategy.constraints,
          }),
          await admin('POST', 'constraints/validate', strategy.constraints[0]),
        ]
      : []),
  ];
  for (const response of responses) {
    expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    expect(response.body.message).toContain('cannot read such a string');
  }
  const { rows } = await sql`
    select from feature_strategies where feature_name = ${name} and strategy_name <> 'default'`.execute(
    harness.db,
  );
  expect(rows).toEqual([]);
});

test('a segment cannot be changed to a string that some SDKs cannot read', async () => {
  const segment = { name: `unreadable-${++count}`, constraints: [constraint('x')] };
  const { body } = await admin('POST', 'segments', segment);

  const response = await admin('PUT', `segments/${body.id}`, {
    ...segment,
    constraints: [constraint('x\\')],
  });

  expect(response).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/values/0' }] },
  });
});

test('finds stored strings until they are fixed, and shows where they are', async () => {
  const [ofStrategy, ofSegment, disabled, fine] = [
    await makeFlag(),
    await makeFlag(),
    await makeFlag(),
    await makeFlag({ name: 'default', constraints: [constraint('C:\\temp')] }),
  ];
  const segment = `unreadable-${++count}`;
  const { body } = await admin('POST', 'segments', { name: segment, constraints: [constraint('x')] });
  await admin('PUT', `${strategiesOf(ofSegment.name)}/${ofSegment.id}`, {
    name: 'default',
    segments: [body.id],
  });
  await sql`
    update segments set constraints = ${JSON.stringify([constraint('x\\')])}::jsonb where id = ${body.id}`.execute(
    harness.db,
  );
  await store(ofStrategy.id, {
    parameters: { groupId: 'a"b', rollout: '5' },
    constraints: [constraint('y\\')],
  });
  await store(disabled.id, { constraints: [constraint('z\\')] });
  await sql`update feature_strategies set disabled = true where id = ${disabled.id}`.execute(harness.db);
  void fine;

  expect(await found()).toMatchObject([
    {
      feature: ofStrategy.name,
      points: 0,
      evidence: {
        unreadable: [
          { environment: 'production', segment: null, string: 'a"b' },
          { environment: 'production', segment: null, string: 'y\\' },
        ],
      },
    },
    {
      feature: ofSegment.name,
      evidence: { unreadable: [{ environment: 'production', segment, string: 'x\\' }] },
    },
  ]);

  await admin('PUT', `${strategiesOf(ofStrategy.name)}/${ofStrategy.id}`, {
    name: 'default',
    constraints: [],
  });
  await admin('PUT', `segments/${body.id}`, { name: segment, constraints: [constraint('x')] });

  expect(await found()).toEqual([]);
});

test('a clone and a copy to a different environment keep a stored string, and the copy is found too', async () => {
  const { name, id } = await makeFlag();
  await store(id, { constraints: [constraint('y\\')] });
  const copy = `unreadable-${++count}`;

  const clone = await admin('POST', `projects/${project}/features/${name}/clone`, { name: copy });
  const copied = await admin('POST', `projects/${project}/features/${name}/environments/development/copy`, {
    from: 'production',
  });

  expect([clone.status, copied.status]).toEqual([200, 200]);
  expect((await found()).map(({ feature }: { feature: string }) => feature)).toEqual([name, copy]);
  expect(
    (await found())[0].evidence.unreadable.map((one: { environment: string }) => one.environment),
  ).toEqual(['development', 'production']);
});

test('the query finds exactly the strings that are rejected', async () => {
  const text = fc.string({
    unit: fc.constantFrom('"', '\\', ',', ' ', '\t', 'a', 'é'),
    minLength: 1,
    maxLength: 4,
  });
  const strategies = fc.record({
    type: fc.constantFrom(...new Set(PARAMETERS.map(({ type }) => type)), 'custom'),
    parameters: fc.dictionary(fc.constantFrom(...PARAMETERS.map(({ parameter }) => parameter)), text),
    constraints: fc.array(fc.record({ contextName: text, values: fc.array(text), value: text }), {
      maxLength: 2,
    }),
  });
  const samples = fc.sample(strategies, 500);
  const { rows } = await sql<{ isFound: boolean; isLookedAt: boolean }>`
    select exists (
      ${constraintsThatBreakRule(sql`constraints`)} union all ${parametersThatBreakRule(sql`type`, sql`parameters`)}
    ) as "isFound", ${mayBreakRule(sql`constraints`)} or ${mayBreakRule(sql`parameters`)} as "isLookedAt"
    from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as sample (type text, parameters jsonb, constraints jsonb)`.execute(
    harness.db,
  );
  for (const [index, { type, parameters, constraints }] of samples.entries()) {
    const problems = [
      ...parameterViolations({ name: type, parameters }, ''),
      ...constraints.flatMap(({ contextName, values, value }) =>
        [contextNameProblem(contextName), ...[...values, value].map(constraintValueProblem)].filter(
          problem => problem !== undefined,
        ),
      ),
    ];
    const { isFound, isLookedAt } = rows[index] ?? {};
    expect(isFound && isLookedAt, JSON.stringify(samples[index])).toBe(problems.length > 0);
  }
});
