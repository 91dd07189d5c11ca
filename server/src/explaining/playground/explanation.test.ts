import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { BASE_PATH, playgroundRequests, rollout } from '../../test/playground-requests.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();
const { post, makeEnabled, evaluate, makeFlags } = playgroundRequests(harness);

beforeAll(makeFlags);

describe('an explanation', () => {
  test('contains the bucket and the threshold of a rollout', async () => {
    const includedUser = await evaluate('half', { userId: '3' });
    const excludedUser = await evaluate('half', { userId: '7' });

    expect(includedUser).toMatchObject({ isEnabled: true, reason: 'strategy-matches' });
    expect(includedUser.strategies.data[0].rule).toEqual({
      kind: 'rollout',
      satisfied: true,
      stickiness: 'userId',
      stickinessField: 'userId',
      stickinessValue: '3',
      random: false,
      groupId: 'half',
      bucket: includedUser.strategies.data[0].rule.bucket,
      threshold: 50,
    });
    expect(includedUser.strategies.data[0].rule.bucket).toBeLessThanOrEqual(50);
    expect(includedUser.explanation).toEqual([
      `The flag is enabled. Strategy 1 (flexibleRollout) matches: bucket ${includedUser.strategies.data[0].rule.bucket} of userId "3" is within the rollout of 50 %.`,
    ]);
    expect(excludedUser).toMatchObject({ isEnabled: false, reason: 'no-strategy-matches' });
    expect(excludedUser.strategies).toMatchObject({ result: false, data: [{ rule: { threshold: 50 } }] });
    expect(excludedUser.explanation[1]).toMatch(
      /^Strategy 1 \(flexibleRollout\) does not match: bucket \d+ of userId "7" is above the rollout of 50 %\.$/,
    );
  });

  test('says that the context lacks the stickiness field', async () => {
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

  test('names the segment constraint that failed', async () => {
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

  test('contains the range of the variant', async () => {
    const variant = (name: string) => ({ name, weight: 500, weightType: 'variable' });
    await makeEnabled('colors', [rollout('100', { variants: [variant('blue'), variant('red')] })]);

    const {
      variant: servedVariant,
      variantSelection,
      explanation,
    } = await evaluate('colors', { userId: '7' });

    expect(variantSelection).toMatchObject({
      source: 'strategy',
      totalWeight: 1_000,
      ranges: [
        { name: 'blue', from: 1, to: 500 },
        { name: 'red', from: 501, to: 1_000 },
      ],
      name: servedVariant.name,
    });
    const { bucket } = variantSelection;
    const [from, to] = bucket <= 500 ? [1, 500] : [501, 1_000];
    expect(explanation[1]).toBe(
      `Bucket ${bucket} of userId "7" is in the range ${from} to ${to} of variant "${servedVariant.name}" of the strategy.`,
    );
  });

  test('says which override selected the variant', async () => {
    await makeEnabled('painted', [{ name: 'default' }]);
    const variants = [
      { name: 'blue', weight: 1_000, weightType: 'variable' },
      { name: 'red', weight: 0, weightType: 'fix', overrides: [{ contextName: 'userId', values: ['7'] }] },
    ];
    const response = await call(
      harness.app,
      'PUT',
      `${BASE_PATH}/painted/environments/development/variants`,
      {
        body: variants,
      },
    );
    expect(response.status, JSON.stringify(response.body)).toBe(200);

    const { variant, explanation } = await evaluate('painted', { userId: '7' });

    expect(variant).toMatchObject({ name: 'red', enabled: true });
    expect(explanation[1]).toBe('The override for userId "7" selects variant "red".');
  });

  test('contains the state of a parent that the request does not name', async () => {
    await makeEnabled('child', [{ name: 'default' }]);
    await post(`${BASE_PATH}/child/dependencies`, { feature: 'norway' });

    const unsatisfied = await evaluate('child', { properties: { country: 'DE' } });
    const satisfied = await evaluate('child', { properties: { country: 'NO' } });

    expect(unsatisfied).toMatchObject({ isEnabled: false, hasUnsatisfiedDependency: true, reason: 'parent' });
    expect(unsatisfied.dependencies).toEqual([
      {
        feature: 'norway',
        requires: 'enabled',
        variants: [],
        state: 'disabled',
        variant: 'disabled',
        result: false,
      },
    ]);
    expect(unsatisfied.explanation[1]).toBe('Parent "norway" must be enabled. It is disabled.');
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

  test('says that only the application can evaluate a custom strategy type', async () => {
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

  test('says that a bucket was chosen at random', async () => {
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
