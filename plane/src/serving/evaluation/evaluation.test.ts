import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { makeSdkAdmission } from '../admission.ts';
import type { Changes } from '../source.ts';
import { applyChanges, loadEnvironment } from '../state/environment.ts';
import { getOrCreateScope, makeEnvironmentState } from '../state/environment-state.ts';
import { NO_FILTERS } from '../state/scope.ts';
import { completeContext, type EvaluationContext, type RequestContext } from './context.ts';
import { computeEtag, findCurrentTag } from './etag.ts';
import { makeEvaluation } from './evaluation.ts';
import type { Evaluator } from './evaluator.ts';
import { makeEvaluators } from './evaluators.ts';
import { makeSlices, SLICE_LIMITS } from './slices.ts';

type Flag = { name: string; enabled?: boolean; [field: string]: unknown };

const changes = (revision: number, flags: Flag[], segments: Flag[] = []): Changes => ({
  epoch: 'epoch',
  revision,
  completeSince: 0,
  features: flags.map(flag => ({
    project: 'default',
    name: flag.name,
    revision,
    document: JSON.stringify({ enabled: true, strategies: [], variants: [], ...flag }),
    segments: segments.map(({ id }) => Number(id)),
    tags: [],
  })),
  segments: segments.map(segment => ({
    id: Number(segment.id),
    revision,
    document: JSON.stringify(segment),
  })),
});

function scopeWith(flags: Flag[], segments: Flag[] = []) {
  const holder = makeEnvironmentState(loadEnvironment(changes(1, flags, segments)));
  const selection = { environment: 'main', projects: undefined, filters: NO_FILTERS, inline: false };
  const apply = (next: Changes) => {
    applyChanges(holder.current, next);
    holder.version++;
  };
  return { scope: getOrCreateScope(holder, selection), apply };
}

const evaluation = () => makeEvaluation(SLICE_LIMITS, makeSdkAdmission(1).unread, new Registry());

const buildContext = (
  knownFields: RequestContext['knownFields'] = {},
  properties: Record<string, string> = {},
) => completeContext({ knownFields, properties }, 'main', '192.0.2.1');

function* names(evaluator: Evaluator, context: EvaluationContext): Generator<void, string[]> {
  const enabledFlags: string[] = [];
  for (const flag of evaluator.flags) {
    if (evaluator.evaluate(flag, context)) enabledFlags.push(flag.name);
    yield;
  }
  return enabledFlags;
}

const flexible = (fields: object, parameters: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', groupId: 'g', ...parameters },
  ...fields,
});

test('evaluates one revision, even if flags change between slices', async () => {
  const flags = Array.from({ length: 3_000 }, (_, index) => ({
    name: `flag-${String(index).padStart(4, '0')}`,
  }));
  const { scope, apply } = scopeWith(flags);
  const slices = makeSlices({ sliceMs: 0.1, maxWaitingFlags: 1_000_000 });
  const evaluator = await makeEvaluators(slices).getEvaluator(scope);

  const oldResults = slices.run('a', names(evaluator, buildContext()), 3_000);
  apply(changes(2, [{ name: 'flag-2999', enabled: false }]));
  const newEvaluator = await makeEvaluators(slices).getEvaluator(scope);

  expect(await oldResults).toHaveLength(3_000);
  expect(evaluator.position).toMatch(/\.1$/);
  expect(newEvaluator.position).toMatch(/\.2$/);
  expect(await slices.run('a', names(newEvaluator, buildContext()), 3_000)).toHaveLength(2_999);
});

test('shares an evaluator among requests, and drops the least recently used one above the limit', async () => {
  const { getEvaluator } = makeEvaluators(makeSlices(SLICE_LIMITS), 6);
  const makeScope = (id: string) => ({
    ...scopeWith([{ name: 'a' }, { name: 'b' }, { name: 'c' }]).scope,
    id,
    etag: `"epoch.${id}.1"`,
  });
  const [first, second, third] = [makeScope('first'), makeScope('second'), makeScope('third')];

  const [evaluator, same] = await Promise.all([getEvaluator(first), getEvaluator(first)]);
  const dropped = await getEvaluator(second);
  await getEvaluator(first);
  await getEvaluator(third);

  expect(same).toBe(evaluator);
  expect(await getEvaluator(first)).toBe(evaluator);
  expect(await getEvaluator(second)).not.toBe(dropped);
});

test('a flag that the SDK cannot evaluate is disabled without affecting other flags', async () => {
  const broken = { name: 'broken', strategies: [{ name: 'default', constraints: [{ operator: 'IN' }] }] };
  const { scope } = scopeWith([broken, { name: 'fine' }]);

  const evaluator = await evaluation().getEvaluator(scope);
  const enabled = [...evaluator.flags].filter(flag => evaluator.evaluate(flag, buildContext()));

  expect(enabled.map(({ name }) => name)).toEqual(['fine']);
});

test('the hash of a context depends on every value, but not on the order of the values', () => {
  const getContextHash = (
    knownFields: RequestContext['knownFields'],
    properties: Record<string, string> = {},
  ) => buildContext(knownFields, properties).hash;
  const base = getContextHash({ userId: 'a', appName: 'b' }, { x: '1', y: '2' });

  expect(getContextHash({ appName: 'b', userId: 'a' }, { y: '2', x: '1' })).toBe(base);
  const others = [
    getContextHash({ userId: 'b', appName: 'b' }, { x: '1', y: '2' }),
    getContextHash({ userId: 'a' }, { x: '1', y: '2' }),
    getContextHash({ userId: 'a', appName: 'b' }, { x: '2', y: '1' }),
    getContextHash({ userId: 'a', appName: 'b', sessionId: '1' }, { x: '1', y: '2' }),
    getContextHash({ userId: 'a', appName: 'b', remoteAddress: '1' }, { x: '1', y: '2' }),
    getContextHash({ userId: 'a', appName: 'b', currentTime: '2026-01-01' }, { x: '1', y: '2' }),
    getContextHash({ userId: 'a', appName: 'b' }, { x: '1', y: '2', userId: 'a' }),
  ];
  expect(new Set([base, ...others]).size).toBe(8);
});

describe('a 304 without evaluating', () => {
  const BODY = Buffer.from('{}');
  const user = { userId: 'ada' };
  const session = { sessionId: '1' };
  const variants = [
    { name: 'a', weight: 500 },
    { name: 'b', weight: 500 },
  ];
  const isTagCurrent = async (flag: object, knownFields: object, properties = {}, segments: Flag[] = []) => {
    const evaluator = await evaluation().getEvaluator(scopeWith([{ name: 'flag', ...flag }], segments).scope);
    const context = buildContext(knownFields, properties);
    return findCurrentTag(computeEtag(evaluator, context, BODY), evaluator, context) !== undefined;
  };
  const sticky = (stickiness: string, list: object[]) => list.map(variant => ({ ...variant, stickiness }));

  test.each([
    ['no strategy', {}, {}, {}, true],
    ['a rollout by user, with a user', { strategies: [flexible({})] }, user, {}, true],
    ['a rollout by session, with a session', { strategies: [flexible({})] }, session, {}, true],
    ['a rollout without user and session', { strategies: [flexible({})] }, {}, {}, false],
    ['a full rollout without user', { strategies: [flexible({}, { rollout: '100' })] }, {}, {}, true],
    ['a random rollout', { strategies: [flexible({}, { stickiness: 'random' })] }, user, {}, false],
    [
      'a full random rollout',
      { strategies: [flexible({}, { stickiness: 'random', rollout: '100' })] },
      {},
      {},
      true,
    ],
    [
      'a disabled flag',
      { enabled: false, strategies: [flexible({}, { stickiness: 'random' })] },
      {},
      {},
      true,
    ],
    ['a rollout by a field', { strategies: [flexible({}, { stickiness: 'plan' })] }, {}, {}, true],
    [
      'gradualRolloutRandom',
      { strategies: [{ name: 'gradualRolloutRandom', parameters: { percentage: '50' } }] },
      user,
      {},
      false,
    ],
    [
      'gradualRolloutSessionId',
      { strategies: [{ name: 'gradualRolloutSessionId', parameters: { percentage: '50' } }] },
      user,
      {},
      false,
    ],
    [
      'a constraint on the session',
      {
        strategies: [
          flexible({ constraints: [{ contextName: 'sessionId', operator: 'IN', values: ['1'] }] }),
        ],
      },
      user,
      {},
      false,
    ],
    ['variants, with a user', { variants }, user, {}, true],
    ['variants without user and session', { variants }, {}, {}, false],
    ['variants by a field with a value', { variants: sticky('plan', variants) }, {}, { plan: 'pro' }, true],
    ['variants by a field without a value', { variants: sticky('plan', variants) }, user, {}, false],
    ['random variants', { variants: sticky('random', variants) }, user, {}, false],
    ['one variant', { variants: sticky('random', variants.slice(0, 1)) }, {}, {}, true],
    [
      'variants of a strategy by its field',
      { strategies: [flexible({ variants }, { stickiness: 'plan' })] },
      user,
      {},
      false,
    ],
  ])('with %s, requires repeatable results', async (_, flag, knownFields, properties, expected) => {
    expect(await isTagCurrent(flag, knownFields, properties)).toBe(expected);
  });

  test('requires a session id if a segment has a constraint on the session id', async () => {
    const constraints = [{ contextName: 'sessionId', operator: 'IN', values: ['1'] }];
    const flag = { strategies: [{ name: 'default', segments: [1] }] };

    expect(await isTagCurrent(flag, user, {}, [{ name: 's', id: 1, constraints }])).toBe(false);
    expect(await isTagCurrent(flag, session, {}, [{ name: 's', id: 1, constraints }])).toBe(true);
  });

  test('is not possible once a date has passed, unless the context has its own time', async () => {
    const date = Date.parse('2026-11-16T12:00:00Z');
    const constraints = [
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: new Date(date).toISOString() },
    ];
    const evaluator = await evaluation().getEvaluator(
      scopeWith([{ name: 'flag', strategies: [{ name: 'default', constraints }] }]).scope,
    );
    const at = (time: number): EvaluationContext => {
      const context = buildContext(user);
      return { ...context, values: { ...context.values, currentTime: new Date(time) } };
    };
    const tagAt = (time: number) => computeEtag(evaluator, at(time), BODY);
    const timedContext = buildContext({ ...user, currentTime: '2026-11-16T11:00:00Z' });

    expect(findCurrentTag(tagAt(date - 1_000), evaluator, at(date - 1))).toBeDefined();
    expect(findCurrentTag(tagAt(date - 1), evaluator, at(date))).toBeUndefined();
    expect(findCurrentTag(tagAt(date), evaluator, at(date + 1))).toBeUndefined();
    expect(findCurrentTag(tagAt(date + 1), evaluator, at(date + 1_000))).toBeDefined();
    expect(findCurrentTag(computeEtag(evaluator, timedContext, BODY), evaluator, timedContext)).toBeDefined();
  });

  test('is possible only for a tag with this context and scope, at this revision or a newer one', async () => {
    const { scope, apply } = scopeWith([{ name: 'flag' }]);
    const oldEvaluator = await evaluation().getEvaluator(scope);
    apply(changes(2, [{ name: 'flag', enabled: false }]));
    const evaluator = await evaluation().getEvaluator(scope);
    const ada = buildContext(user);
    const tag = computeEtag(evaluator, ada, BODY);
    const isCurrent = (header: string, by = evaluator) => findCurrentTag(header, by, ada) !== undefined;

    expect(isCurrent(tag)).toBe(true);
    expect(isCurrent(`W/${tag}`)).toBe(true);
    expect(isCurrent(`"x", ${tag.slice(0, -1)}-gzip"`)).toBe(true);
    expect(isCurrent(tag, oldEvaluator)).toBe(true);
    expect(isCurrent(computeEtag(oldEvaluator, ada, BODY))).toBe(false);
    expect(isCurrent(computeEtag(evaluator, buildContext({ userId: 'ben' }), BODY))).toBe(false);
    expect(isCurrent(tag.replace('epoch', 'other'))).toBe(false);
    expect(isCurrent('*')).toBe(false);
    expect(isCurrent('""')).toBe(false);
  });
});

test('evaluating 10,000 flags for 10 clients at a time lets other work run in between', async () => {
  const constraints = [{ contextName: 'country', operator: 'IN', values: ['DE', 'FR', 'IT'] }];
  const flags = Array.from({ length: 10_000 }, (_, index) => ({
    name: `flag-${index}`,
    strategies: [flexible({ constraints }, { groupId: `flag-${index}` })],
  }));
  const { scope } = scopeWith(flags);
  const { getEvaluator, run } = evaluation();
  let turnCount = 0;
  let isDone = false;
  const countTurns = () => {
    turnCount++;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();

  const results = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const evaluator = await getEvaluator(scope);
      return await run(
        `${index}`,
        names(evaluator, buildContext({ userId: `u${index}` }, { country: 'DE' })),
        10_000,
      );
    }),
  );
  isDone = true;

  expect(results.map(list => (list ?? []).length).every(count => count > 4_500 && count < 5_500)).toBe(true);
  // The event loop takes a turn after each slice.
  expect(turnCount).toBeGreaterThan(10);
});

describe('a flag that takes too long', () => {
  const slowest = '(a?){300}(b?){300}[abcd]{300}[yz]$';
  const regexStrategy = (value: string) => ({
    name: 'default',
    constraints: [{ contextName: 'userId', operator: 'REGEX', value, values: [], inverted: true }],
  });
  const addresses = { name: 'remoteAddress', parameters: { IPs: '192.0.2.1,'.repeat(9_000) } };
  const flags = [
    { name: 'slow', strategies: [regexStrategy(slowest)] },
    { name: 'child', strategies: [{ name: 'default' }], dependencies: [{ feature: 'slow' }] },
    { name: 'mail', strategies: [regexStrategy('^[a-z]{1,64}@example\\.com$')] },
    { name: 'addresses', strategies: Array.from({ length: 9 }, () => addresses) },
    { name: 'office', strategies: [addresses] },
  ];

  test.each([
    ['a short value', 'a', ['child', 'mail', 'office', 'slow']],
    ['a value as long as an address', 'a'.repeat(100), ['mail', 'office']],
    ['a very long value', 'a'.repeat(16_000), ['office']],
  ])('is disabled for %s, and counted', async (_, userId, expected) => {
    const registry = new Registry();
    const { getEvaluator, run } = makeEvaluation(SLICE_LIMITS, makeSdkAdmission(1).unread, registry);
    const evaluator = await getEvaluator(scopeWith(flags).scope);

    expect(await run('a', names(evaluator, buildContext({ userId })), 5)).toEqual(expected);

    expect(await registry.getSingleMetricAsString('halyard_sdk_evaluation_skipped_total')).toContain(
      `skipped_total ${flags.length - expected.length}`,
    );
  });
});
