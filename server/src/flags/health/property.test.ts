import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const DAYS = 120;
const ROUNDS = campaignSize({ usual: 4, long: 120 });
const DAY_MS = 86_400_000;
const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'sunset'] as const;
const ENVIRONMENTS = ['development', 'production'] as const;

const harness = useHarness();
/** Midnight at the start of the first simulated day. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS + 5) * DAY_MS;
const getDayStart = (day: number) => new Date(START + day * DAY_MS);
const formatDay = (day: number) => getDayStart(day).toISOString().slice(0, 10);

/** A feature in the test's model. */
type FeatureModel = {
  project: string;
  type: string;
  createdAt: number;
  stale: boolean;
  archived: boolean;
  enabled: Record<string, boolean>;
  toggledAt: Record<string, number>;
  seen: boolean;
  strategies: boolean;
};
type World = { features: Map<string, FeatureModel>; lifetimes: Record<string, number | null> };

type Action =
  | { kind: 'create'; type: (typeof TYPES)[number]; project: number }
  | { kind: 'stale' | 'archive' | 'revive' | 'delete' | 'seen' | 'move'; pick: number }
  | { kind: 'type'; pick: number; type: (typeof TYPES)[number] }
  | { kind: 'toggle'; pick: number; environment: (typeof ENVIRONMENTS)[number] }
  | { kind: 'lifetime'; type: (typeof TYPES)[number]; days: number | null };

const pick = fc.nat(1_000);
const actions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      type: fc.constantFrom(...TYPES),
      project: fc.nat(1),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'stale' as const,
        'archive' as const,
        'revive' as const,
        'delete' as const,
        'seen' as const,
        'move' as const,
      ),
      pick,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('type' as const), pick, type: fc.constantFrom(...TYPES) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('toggle' as const),
      pick,
      environment: fc.constantFrom(...ENVIRONMENTS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lifetime' as const),
      type: fc.constantFrom(...TYPES),
      days: fc.option(fc.integer({ min: 1, max: 60 })),
    }),
  },
);
/** Generates groups of actions that are some days apart. */
const history = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 25 }), fc.array(actions, { minLength: 1, maxLength: 8 })),
  {
    minLength: 4,
    maxLength: 9,
  },
);

let run = 0;
let projects: [string, string];

beforeAll(async () => {
  // The test changes the times of events, which are otherwise immutable, to simulate several months.
  await sql`drop trigger events_immutable on events`.execute(harness.db);
});
afterEach(() => vi.useRealTimers());

const send = (method: 'POST' | 'PUT', path: string, body?: unknown) =>
  call(harness.app, method, `/api/admin/${path}`, body === undefined ? {} : { body });
/** Reads the reports at the end of the simulated day. */
async function readOn(day: number, path: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: getDayStart(day + 1).getTime() - 1 });
  const response = await call(harness.app, 'GET', `/api/admin/projects/${path}`);
  vi.useRealTimers();
  expect(response.status).toBe(200);
  return response.body;
}

/** Executes an action through the API and on the model. An action that does not apply changes neither. */
async function perform(action: Action, world: World, now: number): Promise<void> {
  if (action.kind === 'create') return await create(action.type, projects[action.project] ?? '', world, now);
  if (action.kind === 'lifetime') {
    await send('PUT', `feature-types/${action.type}/lifetime`, { lifetimeDays: action.days });
    world.lifetimes[action.type] = action.days;
    return;
  }
  const names = [...world.features.keys()];
  const name = names[action.pick % Math.max(1, names.length)];
  const model = name === undefined ? undefined : world.features.get(name);
  if (name === undefined || !model) return;
  const body = { features: [name] };
  if (action.kind === 'archive' && !model.archived) {
    await send('POST', `projects/${model.project}/archive`, body);
    model.archived = true;
  } else if (action.kind === 'revive' && model.archived) {
    await send('POST', `projects/${model.project}/revive`, body);
    model.archived = false;
    for (const environmentName of ENVIRONMENTS)
      if (model.enabled[environmentName]) toggleModel(model, environmentName, now);
  } else if (action.kind === 'delete' && model.archived) {
    await send('POST', `projects/${model.project}/delete`, body);
    world.features.delete(name);
  } else if (!model.archived) await change(action, name, model, now);
}

async function create(type: string, project: string, world: World, now: number): Promise<void> {
  const name = `f-${run}-${world.features.size}`;
  if (world.features.has(name)) return;
  await send('POST', `projects/${project}/features`, { name, type });
  const inAllEnvironments = <T>(value: T) =>
    Object.fromEntries(ENVIRONMENTS.map(environmentName => [environmentName, value]));
  world.features.set(name, {
    project,
    type,
    createdAt: now,
    stale: false,
    archived: false,
    enabled: inAllEnvironments(false),
    toggledAt: inAllEnvironments(now),
    seen: false,
    strategies: false,
  });
}

async function change(action: Action, name: string, model: FeatureModel, now: number): Promise<void> {
  if (action.kind === 'stale') {
    model.stale = !model.stale;
    await send('POST', `projects/${model.project}/stale`, { features: [name], stale: model.stale });
  } else if (action.kind === 'type') {
    await send('PUT', `projects/${model.project}/features/${name}`, { type: action.type });
    model.type = action.type;
  } else if (action.kind === 'seen') {
    await markSeen(harness.db, name);
    model.seen = true;
  } else if (action.kind === 'toggle') {
    await send(
      'POST',
      `projects/${model.project}/features/${name}/environments/${action.environment}/${model.enabled[action.environment] ? 'off' : 'on'}`,
    );
    toggleModel(model, action.environment, now);
    model.strategies = true;
  } else if (action.kind === 'move') {
    const target = projects.find(project => project !== model.project) ?? '';
    // Makes the same changes as a move, because the API could reject the move.
    await sql`update features set project = ${target} where name = ${name}`.execute(harness.db);
    await sql`
      insert into events (group_id, type, created_by, project, feature_name, data)
      values ('x', 'feature-project-change', 'x', ${target}, ${name},
        ${JSON.stringify({ oldProject: model.project, newProject: target })}::jsonb)`.execute(harness.db);
    model.project = target;
  }
}

function toggleModel(model: FeatureModel, environmentName: string, now: number): void {
  model.enabled[environmentName] = !model.enabled[environmentName];
  model.toggledAt[environmentName] = now;
}

/** Changes the timestamps of everything that was just written, as if it had happened on the simulated day. */
async function moveTimesTo(dayTime: number, afterId: number): Promise<void> {
  const time = new Date(dayTime);
  const since = sql`now() - interval '1 minute'`;
  await sql`update events set created_at = ${time}, data = case when data ? 'createdAt' then jsonb_set(data, '{createdAt}', to_jsonb(${time.toISOString()}::text)) else data end where id > ${afterId}`.execute(
    harness.db,
  );
  await sql`update features set created_at = ${time} where created_at > ${since}`.execute(harness.db);
  await sql`update features set archived_at = ${time} where archived_at > ${since}`.execute(harness.db);
  await sql`update feature_environments set switched_at = ${time} where switched_at > ${since}`.execute(
    harness.db,
  );
}

const readLastEventId = async (): Promise<number> =>
  (await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(harness.db)).rows[0]
    ?.id ?? 0;

/** Recomputes the health from the model. */
function recompute(world: World, project: string, now: number) {
  const activeFeatures = [...world.features].filter(
    ([, model]) => model.project === project && !model.archived,
  );
  const isSettled = (model: FeatureModel) => Math.max(...Object.values(model.toggledAt)) <= now - 30 * DAY_MS;
  const hasLifetime = ({ type }: FeatureModel) => (world.lifetimes[type] ?? null) !== null;
  const isOld = (model: FeatureModel) =>
    !model.stale &&
    hasLifetime(model) &&
    now - model.createdAt >= (world.lifetimes[model.type] ?? 0) * DAY_MS;
  const isNew = (model: FeatureModel) => model.createdAt > now - 7 * DAY_MS;
  const isAnySeen = [...world.features.values()].some(model => model.project === project && model.seen);
  const names = (matches: (model: FeatureModel) => boolean) =>
    activeFeatures.filter(([, model]) => matches(model)).map(([name]) => name);
  const rules = {
    stale: names(model => model.stale),
    'past-lifetime': names(isOld),
    'enabled-everywhere': names(
      model => hasLifetime(model) && isSettled(model) && Object.values(model.enabled).every(Boolean),
    ),
    'disabled-everywhere': names(
      model =>
        hasLifetime(model) && isSettled(model) && Object.values(model.enabled).every(enabled => !enabled),
    ),
    'never-seen': isAnySeen ? names(model => !model.seen && !isNew(model)) : [],
    'no-strategies': names(model => !model.strategies && !isNew(model)),
  };
  const [stale, potentiallyStale] = [rules.stale.length, rules['past-lifetime'].length];
  const features = activeFeatures.length;
  const health = features === 0 ? 100 : Math.round(100 - (100 * (stale + potentiallyStale)) / features);
  return { counts: { features, stale, potentiallyStale }, health, rules };
}

type ListedFinding = { rule: string; feature: string };
async function compare(day: number, world: World) {
  const now = getDayStart(day + 1).getTime() - 1;
  const days: Record<string, object> = {};
  for (const project of projects) {
    const expectedHealth = recompute(world, project, now);
    const { features, stale, potentiallyStale } = expectedHealth.counts;
    const rating = {
      activeCount: features - stale,
      potentiallyStaleCount: potentiallyStale,
      staleCount: stale,
    };

    const report = await readOn(day, `${project}/health-report`);
    expect(report).toMatchObject({
      health: expectedHealth.health,
      technicalDebt: 100 - expectedHealth.health,
      ...rating,
    });
    expect(report.features).toHaveLength(features);
    expect(report.features.filter((feature: { stale: boolean }) => feature.stale)).toHaveLength(stale);

    const explained = await readOn(day, `${project}/health?limit=1000`);
    expect(explained).toMatchObject({ health: expectedHealth.health, counts: expectedHealth.counts });
    const findingsByRule = Map.groupBy(explained.findings as ListedFinding[], ({ rule }) => rule);
    for (const [rule, names] of Object.entries(expectedHealth.rules)) {
      expect([rule, ...(findingsByRule.get(rule) ?? []).map(({ feature }) => feature).toSorted()]).toEqual([
        rule,
        ...names.toSorted(),
      ]);
    }

    expect(await readOn(day, `${project}/status`)).toMatchObject({
      health: { current: expectedHealth.health },
      staleFlags: { total: stale + potentiallyStale },
    });
    expect(await readOn(day, `${project}/insights`)).toMatchObject({
      health: { rating: expectedHealth.health, ...rating },
    });
    days[project] = { date: formatDay(day), health: expectedHealth.health, ...expectedHealth.counts };
  }
  return days;
}

test(
  `report, findings, status, insights and history agree with a simple recomputation (seed ${SEED})`,
  GENERATED,
  async () => {
    let comparedDayCount = 0;
    await fc.assert(
      fc.asyncProperty(history, async actionGroups => {
        run++;
        projects = [`left-${run}`, `right-${run}`];
        for (const id of projects) await send('POST', 'projects', { id, name: id });
        const world: World = {
          features: new Map(),
          lifetimes: { release: 40, experiment: 40, operational: 7, 'kill-switch': null, sunset: 90 },
        };
        for (const [type, days] of Object.entries(world.lifetimes))
          await send('PUT', `feature-types/${type}/lifetime`, { lifetimeDays: days });
        await moveTimesTo(START - DAY_MS, 0);
        const snapshots: Record<string, object>[] = [];
        let day = 0;
        for (const [pause, actionGroup] of actionGroups) {
          day = Math.min(day + pause, DAYS);
          const lastIdBefore = await readLastEventId();
          const noon = getDayStart(day).getTime() + DAY_MS / 2 + snapshots.length;
          for (const action of actionGroup) await perform(action, world, noon);
          await moveTimesTo(noon, lastIdBefore);
          snapshots.push(await compare(day, world));
        }

        for (const project of projects) {
          const { days } = (
            await call(
              harness.app,
              'GET',
              `/api/admin/projects/${project}/health/history?from=${formatDay(0)}&to=${formatDay(DAYS)}`,
            )
          ).body;
          const secondResponse = (
            await call(
              harness.app,
              'GET',
              `/api/admin/projects/${project}/health/history?from=${formatDay(0)}&to=${formatDay(DAYS)}`,
            )
          ).body;
          expect(secondResponse.days).toEqual(days);
          // If a day has several groups of actions, only its last report counts.
          for (const lastReport of new Map(
            snapshots.map(snapshot => [
              (snapshot[project] as { date: string }).date,
              snapshot[project] as { date: string },
            ]),
          ).values()) {
            const { technicalDebt: _, ...storedDay } = days.find(
              ({ date }: { date: string }) => date === lastReport.date,
            );
            expect(storedDay).toEqual(lastReport);
            comparedDayCount++;
          }
        }
      }),
      { numRuns: ROUNDS, seed: SEED, endOnFailure: true },
    );
    expect(comparedDayCount).toBeGreaterThan(ROUNDS * 6);
  },
);
