import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFeature, makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Answer, call } from '../../test/request.ts';

const harness = useHarness();
const HERE = '/api/admin/projects/default/features';
const DEVELOPMENT = { environment: 'development' };

const post = (url: string, body: unknown, token?: string): Promise<Answer> =>
  call(harness.app, 'POST', url, { body, ...(token === undefined ? {} : { token }) });
const playground = (body: object, token?: string) =>
  post('/api/admin/playground', { ...DEVELOPMENT, context: {}, ...body }, token);
const advanced = (body: object) =>
  post('/api/admin/playground/advanced', { environments: ['development'], context: {}, ...body });

/** A feature that is enabled in development. */
async function makeEnabled(name: string, strategies: object[], more: object = {}): Promise<void> {
  await makeFeature(harness.db, 'default', { name, ...more });
  const environment = `${HERE}/${name}/environments/development`;
  for (const strategy of strategies) {
    const added = await post(`${environment}/strategies`, strategy);
    expect(added.status, JSON.stringify(added.body)).toBe(200);
  }
  expect((await post(`${environment}/on`, undefined)).status).toBe(200);
}

/** The evaluation of one feature. */
async function evaluate(name: string, context: object, more: object = {}) {
  const { status, body } = await playground({ features: [name], context, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.features).toHaveLength(1);
  return body.features[0];
}

const rollout = (percentage: string, more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: percentage, stickiness: 'userId' },
  ...more,
});

beforeAll(async () => {
  await makeEnabled('half', [rollout('50')]);
  await makeEnabled('norway', [
    {
      name: 'default',
      title: 'Norway',
      constraints: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }],
    },
  ]);
});

describe('an explanation', () => {
  test('has the bucket and the threshold of a rollout', async () => {
    const inside = await evaluate('half', { userId: '3' });
    const outside = await evaluate('half', { userId: '7' });

    expect(inside).toMatchObject({ isEnabled: true, reason: 'strategy-matches' });
    expect(inside.strategies.data[0].rule).toEqual({
      kind: 'rollout',
      satisfied: true,
      stickiness: 'userId',
      stickinessField: 'userId',
      stickinessValue: '3',
      random: false,
      groupId: 'half',
      bucket: inside.strategies.data[0].rule.bucket,
      threshold: 50,
    });
    expect(inside.strategies.data[0].rule.bucket).toBeLessThanOrEqual(50);
    expect(inside.explanation).toEqual([
      `The flag is enabled. Strategy 1 (flexibleRollout) matches: bucket ${inside.strategies.data[0].rule.bucket} of userId "3" is within the rollout of 50 %.`,
    ]);
    expect(outside).toMatchObject({ isEnabled: false, reason: 'no-strategy-matches' });
    expect(outside.strategies).toMatchObject({ result: false, data: [{ rule: { threshold: 50 } }] });
    expect(outside.explanation[1]).toMatch(
      /^Strategy 1 \(flexibleRollout\) does not match: bucket \d+ of userId "7" is above the rollout of 50 %\.$/,
    );
  });

  test('says that the context lacks the field of the stickiness', async () => {
    const { isEnabled, explanation } = await evaluate('half', {});

    expect(isEnabled).toBe(false);
    expect(explanation[1]).toBe(
      'Strategy 1 (flexibleRollout) does not match: the context has no "userId", which the rollout depends on.',
    );
  });

  test('names the constraint that failed and the value it compared', async () => {
    const { isEnabled, explanation, strategies } = await evaluate('norway', {
      properties: { country: 'DE' },
    });

    expect(isEnabled).toBe(false);
    expect(strategies.data[0]).toMatchObject({
      title: 'Norway',
      result: { enabled: false, evaluationStatus: 'complete' },
      constraints: [{ contextName: 'country', operator: 'IN', result: false, actual: 'DE' }],
      links: { edit: '/projects/default/features/norway' },
    });
    expect(explanation).toEqual([
      'The flag is disabled because no strategy matches.',
      'Strategy 1 ("Norway") does not match: constraint 1 on "country" requires one of "NO", "SE". The context has "DE".',
    ]);
  });

  test('names the constraint of a segment', async () => {
    const { body: segment } = await post('/api/admin/segments', {
      name: 'Beta testers',
      constraints: [{ contextName: 'age', operator: 'NUM_GTE', value: '18', inverted: true }],
    });
    await makeEnabled('beta', [{ name: 'default', segments: [segment.id] }]);

    const { explanation, strategies } = await evaluate('beta', { properties: { age: 20 } });

    expect(strategies.data[0].segments).toMatchObject([
      { id: segment.id, name: 'Beta testers', result: false, constraints: [{ actual: '20', result: false }] },
    ]);
    expect(explanation[1]).toBe(
      'Strategy 1 (default) does not match: constraint 1 of segment "Beta testers" on "age" excludes a number greater than or equal to 18. The context has "20".',
    );
  });

  test('has the range of the variant', async () => {
    const variant = (name: string) => ({ name, weight: 500, weightType: 'variable' });
    await makeEnabled('colors', [rollout('100', { variants: [variant('blue'), variant('red')] })]);

    const { variant: served, variantSelection, explanation } = await evaluate('colors', { userId: '7' });

    expect(variantSelection).toMatchObject({
      source: 'strategy',
      totalWeight: 1_000,
      ranges: [
        { name: 'blue', from: 1, to: 500 },
        { name: 'red', from: 501, to: 1_000 },
      ],
      name: served.name,
    });
    const { bucket } = variantSelection;
    const [from, to] = bucket <= 500 ? [1, 500] : [501, 1_000];
    expect(explanation[1]).toBe(
      `Bucket ${bucket} of userId "7" is in the range ${from} to ${to} of variant "${served.name}" of the strategy.`,
    );
  });

  test('says which override selected the variant', async () => {
    await makeEnabled('painted', [{ name: 'default' }]);
    const variants = [
      { name: 'blue', weight: 1_000, weightType: 'variable' },
      { name: 'red', weight: 0, weightType: 'fix', overrides: [{ contextName: 'userId', values: ['7'] }] },
    ];
    const put = await call(harness.app, 'PUT', `${HERE}/painted/environments/development/variants`, {
      body: variants,
    });
    expect(put.status, JSON.stringify(put.body)).toBe(200);

    const { variant, explanation } = await evaluate('painted', { userId: '7' });

    expect(variant).toMatchObject({ name: 'red', enabled: true });
    expect(explanation[1]).toBe('The override for userId "7" selects variant "red".');
  });

  test('has the state of a parent that is not named in the request', async () => {
    await makeEnabled('child', [{ name: 'default' }]);
    await post(`${HERE}/child/dependencies`, { feature: 'norway' });

    const without = await evaluate('child', { properties: { country: 'DE' } });
    const satisfied = await evaluate('child', { properties: { country: 'NO' } });

    expect(without).toMatchObject({ isEnabled: false, hasUnsatisfiedDependency: true, reason: 'parent' });
    expect(without.dependencies).toEqual([
      {
        feature: 'norway',
        requires: 'enabled',
        variants: [],
        state: 'disabled',
        variant: 'disabled',
        result: false,
      },
    ]);
    expect(without.explanation[1]).toBe('Parent "norway" must be enabled. It is disabled.');
    expect(satisfied).toMatchObject({ isEnabled: true, hasUnsatisfiedDependency: false });
  });

  test('says that the flag is disabled in the environment', async () => {
    const { isEnabled, isEnabledInCurrentEnvironment, explanation } = await evaluate(
      'half',
      { userId: '7' },
      { environment: 'production' },
    );

    expect({ isEnabled, isEnabledInCurrentEnvironment }).toEqual({
      isEnabled: false,
      isEnabledInCurrentEnvironment: false,
    });
    expect(explanation).toEqual(['The flag is disabled in environment "production".']);
  });

  test('says that only an application knows a strategy type of its own', async () => {
    await post('/api/admin/strategies', { name: 'moonPhase' });
    await makeEnabled('moon', [{ name: 'moonPhase' }]);

    const { isEnabled, strategies } = await evaluate('moon', {});

    expect(isEnabled).toBe(false);
    expect(strategies).toMatchObject({
      result: 'unknown',
      data: [
        {
          result: { enabled: 'unknown', evaluationStatus: 'incomplete' },
          explanation:
            'Strategy 1 (moonPhase) cannot be evaluated here: only an application that implements this strategy type knows its result.',
        },
      ],
    });
  });

  test('lists a disabled strategy without evaluating it', async () => {
    await makeEnabled('partly', [{ name: 'default' }, rollout('100', { disabled: true })]);

    const { strategies } = await evaluate('partly', {});

    expect(strategies.data).toMatchObject([
      { name: 'default', disabled: false, result: { enabled: true, evaluationStatus: 'complete' } },
      {
        name: 'flexibleRollout',
        disabled: true,
        result: { enabled: 'unknown', evaluationStatus: 'unevaluated' },
      },
    ]);
  });

  test('says that a bucket was drawn at random', async () => {
    await makeEnabled('lottery', [
      { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'random' } },
    ]);

    const { strategies } = await evaluate('lottery', {});

    expect(strategies.data[0].rule).toMatchObject({ random: true, stickinessField: null });
    expect(strategies.data[0].explanation).toMatch(
      /bucket \d+, drawn at random for this evaluation, is within/,
    );
  });
});

describe('combinations', () => {
  test('evaluates every combination of comma-separated values in every environment', async () => {
    const { status, body } = await advanced({
      environments: ['development', 'production'],
      features: ['norway', 'half'],
      context: { userId: '7, 3', properties: { country: 'NO,DE' } },
    });

    expect(status).toBe(200);
    expect(body.features.map((feature: { name: string }) => feature.name)).toEqual(['half', 'norway']);
    const { development, production } = body.features[1].environments;
    expect(development).toHaveLength(4);
    expect(production).toHaveLength(4);
    expect(
      development.map((one: { context: object; isEnabled: boolean }) => [one.context, one.isEnabled]),
    ).toEqual([
      [{ environment: 'development', userId: '7', properties: { country: 'NO' } }, true],
      [{ environment: 'development', userId: '3', properties: { country: 'NO' } }, true],
      [{ environment: 'development', userId: '7', properties: { country: 'DE' } }, false],
      [{ environment: 'development', userId: '3', properties: { country: 'DE' } }, false],
    ]);
    expect(body.input).toEqual({
      environments: ['development', 'production'],
      projects: '*',
      context: { userId: '7, 3', properties: { country: 'NO,DE' } },
    });
  });

  test('keeps commas in values of the simple operation', async () => {
    const { context } = await evaluate('half', { userId: '7,3' });

    expect(context.userId).toBe('7,3');
  });

  test('rejects more than 25,000 combinations of values', async () => {
    const many = Array.from({ length: 200 }, (_, at) => at).join(',');

    const { status, body } = await advanced({ context: { userId: many, sessionId: many } });

    expect({ status, name: body.name, message: body.message }).toEqual({
      status: 400,
      name: 'ExceedsLimitError',
      message:
        'The context has more than 25000 combinations of values, the most that one request can evaluate. Choose fewer projects, features, environments or context values.',
    });
  });

  test('rejects more than 25,000 evaluations', async () => {
    const many = Array.from({ length: 155 }, (_, at) => at).join(',');

    const { status, body } = await advanced({ context: { userId: many, sessionId: many } });

    expect({ status, name: body.name }).toEqual({ status: 400, name: 'ExceedsLimitError' });
    expect(body.message).toMatch(
      /^The request needs \d+ evaluations: \d+ features in all environments, 24025 contexts\./,
    );
  });

  test('rejects a response that is too large', async () => {
    const long = 'x'.repeat(490);
    const many = Array.from({ length: 150 }, (_, at) => at).join(',');
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, long]));

    const { status, body } = await advanced({
      features: ['half'],
      context: { userId: many, sessionId: many, properties },
    });

    expect({ status, name: body.name, message: body.message }).toEqual({
      status: 413,
      name: 'PayloadTooLargeError',
      message:
        'The response would have more than 16777216 bytes. Choose fewer projects, features, environments or context values.',
    });
  });
});

describe('drafts', () => {
  const draft = (strategies: object[], more: object = {}) => ({
    drafts: [{ feature: 'half', environment: 'development', strategies, ...more }],
  });

  test('evaluates strategies that are not saved', async () => {
    const evaluated = await evaluate('half', { userId: '7' }, draft([rollout('100', { title: 'Everyone' })]));
    const saved = await evaluate('half', { userId: '7' });

    expect(evaluated).toMatchObject({ isEnabled: true });
    expect(evaluated.strategies.data).toMatchObject([
      { id: '', title: 'Everyone', parameters: { rollout: '100', groupId: 'half' } },
    ]);
    expect(saved.isEnabled).toBe(false);
  });

  test('evaluates a segment that no saved strategy uses', async () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['3'] }];
    const { body: segment } = await post('/api/admin/segments', { name: 'Unused', constraints });

    const strategy = { name: 'default', segments: [segment.id] };

    expect((await evaluate('half', { userId: '3' }, draft([strategy]))).isEnabled).toBe(true);
    expect((await evaluate('half', { userId: '7' }, draft([strategy]))).isEnabled).toBe(false);
  });

  test('evaluates a flag as enabled that is disabled', async () => {
    const enabled = {
      feature: 'half',
      environment: 'production',
      enabled: true,
      strategies: [{ name: 'default' }],
    };

    const evaluated = await evaluate('half', {}, { environment: 'production', drafts: [enabled] });

    expect(evaluated).toMatchObject({ isEnabled: true, isEnabledInCurrentEnvironment: true });
  });

  test('a draft without strategies is disabled', async () => {
    expect(await evaluate('half', { userId: '3' }, draft([]))).toMatchObject({
      isEnabled: false,
      reason: 'flag-disabled',
    });
  });

  test.each([
    [[{ name: 'nope' }], '/body/drafts/0/strategies/0/name', 'strategy type "nope" does not exist'],
    [
      [rollout('101')],
      '/body/drafts/0/strategies/0/parameters/rollout',
      'rollout must be a whole number from 0 to 100',
    ],
    [
      [{ name: 'default', constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'x' }] }],
      '/body/drafts/0/strategies/0/constraints/0/value',
      'value must be a number such as 10 or -2.5',
    ],
    [
      [{ name: 'default', segments: [999_999] }],
      '/body/drafts/0/strategies/0/segments',
      'segment 999999 does not exist in project "default"',
    ],
  ])('validates strategies as the operations that save them: %j', async (strategies, path, message) => {
    const { status, body } = await playground({ features: ['half'], ...draft(strategies) });

    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path }]);
    expect(body.details[0].message).toContain(message.replace(/^value /, ''));
  });

  test.each([
    ['a feature that does not exist', { feature: 'nope' }, 'feature "nope" does not exist'],
    [
      'an environment that is not evaluated',
      { environment: 'production' },
      'feature "half" in environment "production" is not among the features that the request evaluates',
    ],
  ])('rejects a draft of %s', async (_, more, message) => {
    const { status, body } = await playground({ features: ['half'], ...draft([{ name: 'default' }], more) });

    expect({ status, message: body.message }).toEqual({ status: 400, message });
  });

  test('rejects two drafts of one feature', async () => {
    const { drafts } = draft([{ name: 'default' }]);

    const { status, body } = await playground({ features: ['half'], drafts: [...drafts, ...drafts] });

    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'feature "half" in environment "development" has two drafts',
    });
  });
});

describe('visibility', () => {
  test('a private project is evaluated for its members only, and does not exist for others', async () => {
    const secret = await makeProject(harness.db, { mode: 'private' });
    await makeFeature(harness.db, secret.id, { name: 'hidden' });
    const [member, outsider] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
    await makeMember(harness.db, member, secret.id, 'Reader');
    const names = ({ body }: Answer) => body.features.map((feature: { name: string }) => feature.name);

    expect(names(await playground({ projects: [secret.id] }, member.token))).toEqual(['hidden']);
    expect(names(await playground({}, member.token))).toContain('hidden');
    expect(names(await playground({}, outsider.token))).not.toContain('hidden');
    for (const [body, message] of [
      [{ projects: [secret.id] }, `project "${secret.id}" does not exist`],
      [{ features: ['hidden'] }, 'feature "hidden" does not exist'],
      [
        { drafts: [{ feature: 'hidden', environment: 'development', strategies: [] }] },
        'feature "hidden" does not exist',
      ],
    ] as const) {
      const { status, body: rejection } = await playground(body, outsider.token);
      expect({ status, message: rejection.message }).toEqual({ status: 400, message });
    }
  });

  test('requires a token', async () => {
    expect((await call(harness.app, 'POST', '/api/admin/playground', { token: null, body: {} })).status).toBe(
      401,
    );
  });
});

describe('rejections', () => {
  test.each([
    [{ environment: 'nope' }, 'environment "nope" does not exist', '/body/environment'],
    [{ projects: ['nope'] }, 'project "nope" does not exist', '/body/projects/0'],
    [{ features: ['half', 'nope'] }, 'feature "nope" does not exist', '/body/features/1'],
    [
      { context: { currentTime: 'yesterday' } },
      '"yesterday" is not a time such as 2026-11-15T09:30:00Z',
      '/body/context/currentTime',
    ],
    [
      { context: { properties: { long: 'x'.repeat(501) } } },
      'a value has 501 characters; at most 500 are allowed',
      '/body/context/properties/long',
    ],
  ])('rejects %j', async (body, message, path) => {
    const { status, body: rejection } = await playground(body);

    expect({ status, details: rejection.details }).toEqual({ status: 400, details: [{ message, path }] });
  });

  test.each([
    { context: undefined },
    { context: { userId: 7 } },
    { context: { properties: { nested: {} } } },
    { context: { nested: [] } },
    { projects: 'default' },
    { projects: [] },
    { environment: '' },
  ])('rejects the shape of %j', async body => {
    expect((await playground(body)).status).toBe(400);
  });

  test('rejects an environment of many', async () => {
    const { body } = await advanced({ environments: ['development', 'nope'] });

    expect(body.details).toEqual([
      { message: 'environment "nope" does not exist', path: '/body/environments/1' },
    ]);
  });

  test('a field named like a property of every object has no value', async () => {
    await makeEnabled('strange', [
      {
        name: 'default',
        constraints: [{ contextName: 'constructor', operator: 'STR_CONTAINS', values: ['function'] }],
      },
    ]);

    const { strategies } = await evaluate('strange', {});

    expect(strategies.data[0].constraints).toMatchObject([{ actual: null, result: false }]);
  });
});

describe('a flag that is deleted meanwhile', () => {
  test('is evaluated as long as the deletion is not committed, with all of its strategies', async () => {
    await makeEnabled('fading', [{ name: 'default' }]);
    await makeEnabled('dependent', [{ name: 'default' }]);
    await post(`${HERE}/dependent/dependencies`, { feature: 'fading' });

    await harness.db.transaction().execute(async tx => {
      await sql`delete from feature_dependencies where child = 'dependent'`.execute(tx);
      await sql`update features set archived_at = now() where name = 'fading'`.execute(tx);
      expect(await evaluate('fading', {})).toMatchObject({ isEnabled: true, strategies: { result: true } });
      expect(await evaluate('dependent', {})).toMatchObject({ dependencies: [{ state: 'enabled' }] });
    });

    expect((await playground({ features: ['fading'] })).body.message).toBe('feature "fading" does not exist');
    expect(await evaluate('dependent', {})).toMatchObject({ isEnabled: true, dependencies: [] });
  });
});
