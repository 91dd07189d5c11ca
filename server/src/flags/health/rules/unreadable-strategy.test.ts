import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  constraintsThatBreakRule,
  mayBreakRule,
  parametersThatBreakRule,
} from '../../../targeting/rule-text/store.ts';
import {
  findConstraintValueProblem,
  findContextNameProblem,
  findParameterViolations,
  PARAMETERS,
} from '../../../targeting/rule-text/violations.ts';
import { makeProject } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();
let project: string;
let count = 0;

const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown) =>
  call(harness.app, method, `/api/admin/${path}`, body === undefined ? {} : { body });
const readFindings = async () =>
  (await send('GET', `projects/${project}/health?rule=IS:unreadable-strategy`)).body.findings;

async function makeFlag(strategy: unknown = { name: 'default' }): Promise<{ name: string; id: string }> {
  const name = `unreadable-${++count}`;
  await send('POST', `projects/${project}/features`, { name });
  const { status, body } = await send('POST', buildStrategiesPath(name), strategy);
  expect(status).toBe(200);
  return { name, id: body.id };
}
const buildStrategiesPath = (name: string) =>
  `projects/${project}/features/${name}/environments/production/strategies`;

/** Stores a string that an earlier version accepted, before the rule existed. */
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

const UNREADABLE = [
  { constraints: [constraint('C:\\')] },
  { constraints: [constraint('a\\"b')] },
  { constraints: [{ contextName: 'a"b', operator: 'IN', values: ['x'] }] },
  { constraints: [{ contextName: 'path', operator: 'REGEX', value: 'x\\\\' }] },
  { parameters: { groupId: 'a"b' } },
  { parameters: { groupId: 'a\\' } },
  { parameters: { stickiness: 'a"b' } },
];

test.each(UNREADABLE)('no operation stores a strategy with %j', async strategy => {
  const body = { name: 'flexibleRollout', ...strategy };
  const { name, id } = await makeFlag();
  const exportData = { features: [{ name }], featureStrategies: [{ ...body, featureName: name }] };
  const responses = [
    await send('POST', buildStrategiesPath(name), body),
    await send('PUT', `${buildStrategiesPath(name)}/${id}`, body),
    await send(
      'PATCH',
      `${buildStrategiesPath(name)}/${id}`,
      Object.entries(body).map(([field, value]) => ({ op: 'add', path: `/${field}`, value })),
    ),
    await send('PUT', buildStrategiesPath(name), [{ id, ...body }]),
    await send('POST', `projects/${project}/environments/production/default-strategy`, body),
    await send('POST', 'features-batch/import', { project, environment: 'production', data: exportData }),
    ...(strategy.constraints
      ? [
          await send('POST', 'segments', {
            name: `unreadable-${++count}`,
            constraints: strategy.constraints,
          }),
          await send('POST', 'constraints/validate', strategy.constraints[0]),
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

test('a segment cannot be updated with a string that some SDKs cannot read', async () => {
  const segment = { name: `unreadable-${++count}`, constraints: [constraint('x')] };
  const { body } = await send('POST', 'segments', segment);

  const response = await send('PUT', `segments/${body.id}`, {
    ...segment,
    constraints: [constraint('x\\')],
  });

  expect(response).toMatchObject({
    status: 400,
    body: { details: [{ path: '/body/constraints/0/values/0' }] },
  });
});

test('finds stored strings that some SDKs cannot read, and where they are, until they are fixed', async () => {
  const [strategyFlag, segmentFlag, disabledFlag, readableFlag] = [
    await makeFlag(),
    await makeFlag(),
    await makeFlag(),
    await makeFlag({ name: 'default', constraints: [constraint('C:\\temp')] }),
  ];
  const segment = `unreadable-${++count}`;
  const { body } = await send('POST', 'segments', { name: segment, constraints: [constraint('x')] });
  await send('PUT', `${buildStrategiesPath(segmentFlag.name)}/${segmentFlag.id}`, {
    name: 'default',
    segments: [body.id],
  });
  await sql`
    update segments set constraints = ${JSON.stringify([constraint('x\\')])}::jsonb where id = ${body.id}`.execute(
    harness.db,
  );
  await store(strategyFlag.id, {
    parameters: { groupId: 'a"b', rollout: '5' },
    constraints: [constraint('y\\')],
  });
  await store(disabledFlag.id, { constraints: [constraint('z\\')] });
  await sql`update feature_strategies set disabled = true where id = ${disabledFlag.id}`.execute(harness.db);
  void readableFlag;

  expect(await readFindings()).toMatchObject([
    {
      feature: strategyFlag.name,
      points: 0,
      evidence: {
        unreadable: [
          { environment: 'production', segment: null, string: 'a"b' },
          { environment: 'production', segment: null, string: 'y\\' },
        ],
      },
    },
    {
      feature: segmentFlag.name,
      evidence: { unreadable: [{ environment: 'production', segment, string: 'x\\' }] },
    },
  ]);

  await send('PUT', `${buildStrategiesPath(strategyFlag.name)}/${strategyFlag.id}`, {
    name: 'default',
    constraints: [],
  });
  await send('PUT', `segments/${body.id}`, { name: segment, constraints: [constraint('x')] });

  expect(await readFindings()).toEqual([]);
});

test('cloning and copying to a different environment keep an unreadable string, and the rule finds the copies', async () => {
  const { name, id } = await makeFlag();
  await store(id, { constraints: [constraint('y\\')] });
  const copy = `unreadable-${++count}`;

  const clone = await send('POST', `projects/${project}/features/${name}/clone`, { name: copy });
  const response = await send('POST', `projects/${project}/features/${name}/environments/development/copy`, {
    from: 'production',
  });

  expect([clone.status, response.status]).toEqual([200, 200]);
  expect((await readFindings()).map(({ feature }: { feature: string }) => feature)).toEqual([name, copy]);
  expect(
    (await readFindings())[0].evidence.unreadable.map((item: { environment: string }) => item.environment),
  ).toEqual(['development', 'production']);
});

test('the query finds exactly the strategies that operations reject', async () => {
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
  const { rows } = await sql<{ isFound: boolean; isCandidate: boolean }>`
    select exists (
      ${constraintsThatBreakRule(sql`constraints`)} union all ${parametersThatBreakRule(sql`type`, sql`parameters`)}
    ) as "isFound", ${mayBreakRule(sql`constraints`)} or ${mayBreakRule(sql`parameters`)} as "isCandidate"
    from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as sample (type text, parameters jsonb, constraints jsonb)`.execute(
    harness.db,
  );
  for (const [index, { type, parameters, constraints }] of samples.entries()) {
    const problems = [
      ...findParameterViolations({ name: type, parameters }, ''),
      ...constraints.flatMap(({ contextName, values, value }) =>
        [findContextNameProblem(contextName), ...[...values, value].map(findConstraintValueProblem)].filter(
          problem => problem !== undefined,
        ),
      ),
    ];
    const { isFound, isCandidate } = rows[index] ?? {};
    expect(isFound && isCandidate, JSON.stringify(samples[index])).toBe(problems.length > 0);
  }
});
