import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { makeSdkAdmission } from '../admission.ts';
import type { Changes } from '../source.ts';
import { applyChanges, loadEnvironment } from '../state/environment.ts';
import { makeHolder, scopeIn } from '../state/holder.ts';
import { NO_FILTERS } from '../state/scope.ts';
import { completeContext, type EvaluationContext, type GivenContext } from './context.ts';
import { currentTag, etagOf } from './etag.ts';
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
  const holder = makeHolder(loadEnvironment(changes(1, flags, segments)));
  const selection = { environment: 'main', projects: undefined, filters: NO_FILTERS, inline: false };
  const apply = (next: Changes) => {
    applyChanges(holder.current, next);
    holder.version++;
  };
  return { scope: scopeIn(holder, selection), apply };
}

const evaluation = () => makeEvaluation(SLICE_LIMITS, makeSdkAdmission(1).unread, new Registry());

const contextOf = (known: GivenContext['known'] = {}, properties: Record<string, string> = {}) =>
  completeContext({ known, properties }, 'main', '192.0.2.1');

function* names(evaluator: Evaluator, context: EvaluationContext): Generator<void, string[]> {
  const enabled: string[] = [];
  for (const flag of evaluator.flags) {
    if (evaluator.evaluate(flag, context)) enabled.push(flag.name);
    yield;
  }
  return enabled;
}

const flexible = (fields: object, parameters: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: '50', groupId: 'g', ...parameters },
  ...fields,
});

test('evaluates one revision, whatever changes between its slices', async () => {
  const flags = Array.from({ length: 3_000 }, (_, at) => ({ name: `flag-${String(at).padStart(4, '0')}` }));
  const { scope, apply } = scopeWith(flags);
  const slices = makeSlices({ sliceMs: 0.1, waitingFlags: 1_000_000 });
  const evaluator = await makeEvaluators(slices).of(scope);

  const running = slices.run('a', names(evaluator, contextOf()), 3_000);
  apply(changes(2, [{ name: 'flag-2999', enabled: false }]));
  const after = await makeEvaluators(slices).of(scope);

  expect(await running).toHaveLength(3_000);
  expect(evaluator.position).toMatch(/\.1$/);
  expect(after.position).toMatch(/\.2$/);
  expect(await slices.run('a', names(after, contextOf()), 3_000)).toHaveLength(2_999);
});

test('shares an evaluator among requests, and above the limit drops the least recently used ones', async () => {
  const slices = makeSlices(SLICE_LIMITS);
  const evaluators = makeEvaluators(slices, 5);
  const first = scopeWith([{ name: 'a' }, { name: 'b' }, { name: 'c' }]).scope;
  const holder = scopeWith([{ name: 'd' }, { name: 'e' }, { name: 'f' }]).scope;
  const second = { ...holder, id: 'other', etag: '"epoch.other.1"', current: holder.current, revision: 1 };

  const [one, same] = await Promise.all([evaluators.of(first), evaluators.of(first)]);
  await evaluators.of(second);
  const again = await evaluators.of(first);

  expect(one).toBe(same);
  expect(again).not.toBe(one);
});

test('a flag that the SDK cannot evaluate is disabled, and the others are not affected', async () => {
  const broken = { name: 'broken', strategies: [{ name: 'default', constraints: [{ operator: 'IN' }] }] };
  const { scope } = scopeWith([broken, { name: 'fine' }]);

  const evaluator = await evaluation().of(scope);
  const enabled = [...evaluator.flags].filter(flag => evaluator.evaluate(flag, contextOf()));

  expect(enabled.map(({ name }) => name)).toEqual(['fine']);
});

test('the hash of a context depends on every value, but not on their order', () => {
  const hashOf = (known: GivenContext['known'], properties: Record<string, string> = {}) =>
    contextOf(known, properties).hash;
  const base = hashOf({ userId: 'a', appName: 'b' }, { x: '1', y: '2' });

  expect(hashOf({ appName: 'b', userId: 'a' }, { y: '2', x: '1' })).toBe(base);
  const others = [
    hashOf({ userId: 'b', appName: 'b' }, { x: '1', y: '2' }),
    hashOf({ userId: 'a' }, { x: '1', y: '2' }),
    hashOf({ userId: 'a', appName: 'b' }, { x: '2', y: '1' }),
    hashOf({ userId: 'a', appName: 'b', sessionId: '1' }, { x: '1', y: '2' }),
    hashOf({ userId: 'a', appName: 'b', remoteAddress: '1' }, { x: '1', y: '2' }),
    hashOf({ userId: 'a', appName: 'b', currentTime: '2026-01-01' }, { x: '1', y: '2' }),
    hashOf({ userId: 'a', appName: 'b' }, { x: '1', y: '2', userId: 'a' }),
  ];
  expect(new Set([base, ...others]).size).toBe(8);
});

describe('304 without evaluating', () => {
  const BODY = Buffer.from('{}');
  const user = { userId: 'ada' };
  const session = { sessionId: '1' };
  const variants = [
    { name: 'a', weight: 500 },
    { name: 'b', weight: 500 },
  ];
  const isSound = async (flag: object, known: object, properties = {}, segments: Flag[] = []) => {
    const evaluator = await evaluation().of(scopeWith([{ name: 'flag', ...flag }], segments).scope);
    const context = contextOf(known, properties);
    return currentTag(etagOf(evaluator, context, BODY), evaluator, context) !== undefined;
  };
  const sticky = (stickiness: string, list: object[]) => list.map(one => ({ ...one, stickiness }));

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
  ])('%s', async (_, flag, known, properties, expected) => {
    expect(await isSound(flag, known, properties)).toBe(expected);
  });

  test('a segment with a constraint on the session', async () => {
    const constraints = [{ contextName: 'sessionId', operator: 'IN', values: ['1'] }];
    const flag = { strategies: [{ name: 'default', segments: [1] }] };

    expect(await isSound(flag, user, {}, [{ name: 's', id: 1, constraints }])).toBe(false);
    expect(await isSound(flag, session, {}, [{ name: 's', id: 1, constraints }])).toBe(true);
  });

  test('not when a date passed since, unless the context has its own time', async () => {
    const date = Date.parse('2026-11-16T12:00:00Z');
    const constraints = [
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: new Date(date).toISOString() },
    ];
    const evaluator = await evaluation().of(
      scopeWith([{ name: 'flag', strategies: [{ name: 'default', constraints }] }]).scope,
    );
    const at = (time: number): EvaluationContext => {
      const context = contextOf(user);
      return { ...context, values: { ...context.values, currentTime: new Date(time) } };
    };
    const tagAt = (time: number) => etagOf(evaluator, at(time), BODY);
    const own = contextOf({ ...user, currentTime: '2026-11-16T11:00:00Z' });

    expect(currentTag(tagAt(date - 1_000), evaluator, at(date - 1))).toBeDefined();
    expect(currentTag(tagAt(date - 1), evaluator, at(date))).toBeUndefined();
    expect(currentTag(tagAt(date), evaluator, at(date + 1))).toBeUndefined();
    expect(currentTag(tagAt(date + 1), evaluator, at(date + 1_000))).toBeDefined();
    expect(currentTag(etagOf(evaluator, own, BODY), evaluator, own)).toBeDefined();
  });

  test('only for a tag of this context and scope, at this revision or a newer one', async () => {
    const { scope, apply } = scopeWith([{ name: 'flag' }]);
    const old = await evaluation().of(scope);
    apply(changes(2, [{ name: 'flag', enabled: false }]));
    const evaluator = await evaluation().of(scope);
    const ada = contextOf(user);
    const tag = etagOf(evaluator, ada, BODY);
    const isCurrent = (header: string, by = evaluator) => currentTag(header, by, ada) !== undefined;

    expect(isCurrent(tag)).toBe(true);
    expect(isCurrent(`W/${tag}`)).toBe(true);
    expect(isCurrent(`"x", ${tag.slice(0, -1)}-gzip"`)).toBe(true);
    expect(isCurrent(tag, old)).toBe(true);
    expect(isCurrent(etagOf(old, ada, BODY))).toBe(false);
    expect(isCurrent(etagOf(evaluator, contextOf({ userId: 'ben' }), BODY))).toBe(false);
    expect(isCurrent(tag.replace('epoch', 'other'))).toBe(false);
    expect(isCurrent('*')).toBe(false);
    expect(isCurrent('""')).toBe(false);
  });
});

test('evaluating 10,000 flags for 10 clients at a time lets other work run in between', async () => {
  const constraints = [{ contextName: 'country', operator: 'IN', values: ['DE', 'FR', 'IT'] }];
  const flags = Array.from({ length: 10_000 }, (_, at) => ({
    name: `flag-${at}`,
    strategies: [flexible({ constraints }, { groupId: `flag-${at}` })],
  }));
  const { scope } = scopeWith(flags);
  const { of, run } = evaluation();
  let turns = 0;
  let isDone = false;
  const countTurns = () => {
    turns++;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();

  const results = await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const evaluator = await of(scope);
      return await run(`${at}`, names(evaluator, contextOf({ userId: `u${at}` }, { country: 'DE' })), 10_000);
    }),
  );
  isDone = true;

  expect(results.map(list => (list ?? []).length).every(count => count > 4_500 && count < 5_500)).toBe(true);
  // After each slice, the event loop has a turn.
  expect(turns).toBeGreaterThan(10);
});

describe('a flag that takes too long', () => {
  const slowest = '(a?){300}(b?){300}[abcd]{300}[yz]$';
  const matching = (value: string) => ({
    name: 'default',
    constraints: [{ contextName: 'userId', operator: 'REGEX', value, values: [], inverted: true }],
  });
  const addresses = { name: 'remoteAddress', parameters: { IPs: '192.0.2.1,'.repeat(9_000) } };
  const flags = [
    { name: 'slow', strategies: [matching(slowest)] },
    { name: 'child', strategies: [{ name: 'default' }], dependencies: [{ feature: 'slow' }] },
    { name: 'mail', strategies: [matching('^[a-z]{1,64}@example\\.com$')] },
    { name: 'addresses', strategies: Array.from({ length: 9 }, () => addresses) },
    { name: 'office', strategies: [addresses] },
  ];

  test.each([
    ['a short value', 'a', ['child', 'mail', 'office', 'slow']],
    ['a value as long as an address', 'a'.repeat(100), ['mail', 'office']],
    ['a very long value', 'a'.repeat(16_000), ['office']],
  ])('is disabled for %s, and counted', async (_, userId, expected) => {
    const registry = new Registry();
    const { of, run } = makeEvaluation(SLICE_LIMITS, makeSdkAdmission(1).unread, registry);
    const evaluator = await of(scopeWith(flags).scope);

    expect(await run('a', names(evaluator, contextOf({ userId })), 5)).toEqual(expected);

    expect(await registry.getSingleMetricAsString('halyard_sdk_evaluation_skipped_total')).toContain(
      `skipped_total ${flags.length - expected.length}`,
    );
  });
});
