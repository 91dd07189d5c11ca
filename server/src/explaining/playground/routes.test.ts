import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFeature, makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { BASE_PATH, playgroundRequests, rollout } from '../../test/playground-requests.ts';
import { type ApiResponse, call } from '../../test/request.ts';

const harness = useHarness();
const {
  post,
  playground,
  advanced: evaluateMany,
  makeEnabled,
  evaluate,
  makeFlags,
} = playgroundRequests(harness);

beforeAll(makeFlags);

describe('contexts and limits', () => {
  test('evaluates every combination of comma-separated values in every environment', async () => {
    const { status, body } = await evaluateMany({
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
      development.map(({ context, isEnabled }: { context: object; isEnabled: boolean }) => [
        context,
        isEnabled,
      ]),
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

  test('evaluates listed contexts in order, without splitting values at commas', async () => {
    const contexts = [
      { userId: '7,3', properties: { country: 'DE' } },
      { userId: '7', properties: { country: 'NO' } },
      { userId: '3' },
    ];

    const { status, body } = await evaluateMany({
      environments: ['development', 'production'],
      features: ['norway'],
      context: undefined,
      contexts,
    });

    expect(status).toBe(200);
    const { development, production } = body.features[0].environments;
    expect(
      development.map(({ context, isEnabled }: { context: object; isEnabled: boolean }) => [
        context,
        isEnabled,
      ]),
    ).toEqual([
      [{ environment: 'development', ...contexts[0] }, false],
      [{ environment: 'development', ...contexts[1] }, true],
      [{ environment: 'development', ...contexts[2] }, false],
    ]);
    expect(production).toHaveLength(3);
    expect(body.input).toEqual({ environments: ['development', 'production'], projects: '*', contexts });
  });

  test('requires either context or contexts, accepts at most 50 contexts, and reports the position of an invalid one', async () => {
    const tooManyContexts = Array.from({ length: 51 }, (_, index) => ({ userId: String(index) }));

    const listPaths = async (fields: object) => {
      const { status, body } = await evaluateMany({ context: undefined, ...fields });
      return [status, body.details.map((detail: { path: string }) => detail.path)];
    };

    expect(await listPaths({ context: {}, contexts: [{}] })).toEqual([400, ['/body']]);
    expect(await listPaths({})).toEqual([400, ['/body']]);
    expect(await listPaths({ contexts: [] })).toEqual([400, ['/body/contexts']]);
    expect(await listPaths({ contexts: tooManyContexts })).toEqual([400, ['/body/contexts']]);
    expect(await listPaths({ contexts: [{}, { currentTime: 'yesterday' }] })).toEqual([
      400,
      ['/body/contexts/1/currentTime'],
    ]);
  });

  test('the simple operation does not split context values at commas', async () => {
    const { context } = await evaluate('half', { userId: '7,3' });

    expect(context.userId).toBe('7,3');
  });

  test('rejects more than 25,000 combinations of values', async () => {
    const values = Array.from({ length: 200 }, (_, index) => index).join(',');

    const { status, body } = await evaluateMany({ context: { userId: values, sessionId: values } });

    expect({ status, name: body.name, message: body.message }).toEqual({
      status: 400,
      name: 'ExceedsLimitError',
      message:
        'The context has more than 25000 combinations of values, the maximum for one request. Choose fewer projects, features, environments or context values.',
    });
  });

  test('rejects more than 25,000 evaluations', async () => {
    const values = Array.from({ length: 155 }, (_, index) => index).join(',');

    const { status, body } = await evaluateMany({ context: { userId: values, sessionId: values } });

    expect({ status, name: body.name }).toEqual({ status: 400, name: 'ExceedsLimitError' });
    expect(body.message).toMatch(
      /^The request needs \d+ evaluations: \d+ features in all environments, 24025 contexts\./,
    );
  });

  test('rejects a response that is too large', async () => {
    const longValue = 'x'.repeat(490);
    const values = Array.from({ length: 150 }, (_, index) => index).join(',');
    const properties = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, longValue]));

    const { status, body } = await evaluateMany({
      features: ['half'],
      context: { userId: values, sessionId: values, properties },
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
  const draft = (strategies: object[], fields: object = {}) => ({
    drafts: [{ feature: 'half', environment: 'development', strategies, ...fields }],
  });

  test('evaluates strategies that are not saved', async () => {
    const evaluation = await evaluate(
      'half',
      { userId: '7' },
      draft([rollout('100', { title: 'Everyone' })]),
    );
    const savedEvaluation = await evaluate('half', { userId: '7' });

    expect(evaluation).toMatchObject({ isEnabled: true });
    expect(evaluation.strategies.data).toMatchObject([
      { id: '', title: 'Everyone', parameters: { rollout: '100', groupId: 'half' } },
    ]);
    expect(savedEvaluation.isEnabled).toBe(false);
  });

  test('evaluates a segment that no saved strategy uses', async () => {
    const constraints = [{ contextName: 'userId', operator: 'IN', values: ['3'] }];
    const { body: segment } = await post('/api/admin/segments', { name: 'Unused', constraints });

    const strategy = { name: 'default', segments: [segment.id] };

    expect((await evaluate('half', { userId: '3' }, draft([strategy]))).isEnabled).toBe(true);
    expect((await evaluate('half', { userId: '7' }, draft([strategy]))).isEnabled).toBe(false);
  });

  test('evaluates a disabled flag as enabled if its draft enables it', async () => {
    const enabledDraft = {
      feature: 'half',
      environment: 'production',
      enabled: true,
      strategies: [{ name: 'default' }],
    };

    const evaluation = await evaluate('half', {}, { environment: 'production', drafts: [enabledDraft] });

    expect(evaluation).toMatchObject({ isEnabled: true, isEnabledInCurrentEnvironment: true });
  });

  test('a flag is disabled if its draft has no strategies', async () => {
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
      'rollout must be a whole number from 0 to 100, not "101"',
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
  ])('validates strategies like the operations that save them: %j', async (strategies, path, message) => {
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
  ])('rejects a draft of %s', async (_, fields, message) => {
    const { status, body } = await playground({
      features: ['half'],
      ...draft([{ name: 'default' }], fields),
    });

    expect({ status, message: body.message }).toEqual({ status: 400, message });
  });

  test('rejects two drafts for the same feature', async () => {
    const { drafts } = draft([{ name: 'default' }]);

    const { status, body } = await playground({ features: ['half'], drafts: [...drafts, ...drafts] });

    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'feature "half" in environment "development" has two drafts',
    });
  });
});

describe('visibility', () => {
  test('evaluates a private project for its members, and rejects it as unknown for everyone else', async () => {
    const secret = await makeProject(harness.db, { mode: 'private' });
    await makeFeature(harness.db, secret.id, { name: 'hidden' });
    const [member, outsider] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
    await makeMember(harness.db, member, secret.id, 'Reader');
    const listNames = ({ body }: ApiResponse) =>
      body.features.map((feature: { name: string }) => feature.name);

    expect(listNames(await playground({ projects: [secret.id] }, member.token))).toEqual(['hidden']);
    expect(listNames(await playground({}, member.token))).toContain('hidden');
    expect(listNames(await playground({}, outsider.token))).not.toContain('hidden');
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

describe('request values', () => {
  test.each([
    [
      { environment: 'nope' },
      'environment "nope" does not exist. GET /api/admin/environments lists the environments.',
      '/body/environment',
    ],
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

  test('rejects an unknown environment in a list', async () => {
    const { body } = await evaluateMany({ environments: ['development', 'nope'] });

    expect(body.details).toEqual([
      {
        message: 'environment "nope" does not exist. GET /api/admin/environments lists the environments.',
        path: '/body/environments/1',
      },
    ]);
  });

  test('a context field named like a built-in object property has no value unless the context sets it', async () => {
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

describe('a flag that is deleted during the evaluation', () => {
  test('is evaluated with all of its strategies until the deletion is committed', async () => {
    await makeEnabled('fading', [{ name: 'default' }]);
    await makeEnabled('dependent', [{ name: 'default' }]);
    await post(`${BASE_PATH}/dependent/dependencies`, { feature: 'fading' });

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
