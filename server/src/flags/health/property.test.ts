import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { GENERATED, SEED, sized } from '../../test/campaign.ts';
import { markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const DAYS = 120;
const ROUNDS = sized({ usual: 4, long: 120 });
const DAY_MS = 86_400_000;
const TYPES = ['release', 'experiment', 'operational', 'kill-switch', 'sunset'] as const;
const PLACES = ['development', 'production'] as const;

const harness = useHarness();
/** Midnight before the first simulated day. */
const START = Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS + 5) * DAY_MS;
const startOf = (day: number) => new Date(START + day * DAY_MS);
const dateOf = (day: number) => startOf(day).toISOString().slice(0, 10);

/** The state of a feature in the model of the test. */
type Model = {
  project: string;
  type: string;
  createdAt: number;
  stale: boolean;
  archived: boolean;
  on: Record<string, boolean>;
  toggledAt: Record<string, number>;
  seen: boolean;
  strategies: boolean;
};
type World = { features: Map<string, Model>; lifetimes: Record<string, number | null> };

type Act =
  | { kind: 'create'; type: (typeof TYPES)[number]; project: number }
  | { kind: 'stale' | 'archive' | 'revive' | 'delete' | 'seen' | 'move'; pick: number }
  | { kind: 'type'; pick: number; type: (typeof TYPES)[number] }
  | { kind: 'toggle'; pick: number; place: (typeof PLACES)[number] }
  | { kind: 'lifetime'; type: (typeof TYPES)[number]; days: number | null };

const pick = fc.nat(1_000);
const acts: fc.Arbitrary<Act> = fc.oneof(
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
    arbitrary: fc.record({ kind: fc.constant('toggle' as const), pick, place: fc.constantFrom(...PLACES) }),
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
/** Several chapters, some days apart, each with a few actions. */
const history = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 25 }), fc.array(acts, { minLength: 1, maxLength: 8 })),
  {
    minLength: 4,
    maxLength: 9,
  },
);

let run = 0;
let projects: [string, string];

beforeAll(async () => {
  // Events are immutable. The test changes their times to simulate several months.
  await sql`drop trigger events_immutable on events`.execute(harness.db);
});
afterEach(() => vi.useRealTimers());

const send = (method: 'POST' | 'PUT', path: string, body?: unknown) =>
  call(harness.app, method, `/api/admin/${path}`, body === undefined ? {} : { body });
/** Reads the reports at the end of the simulated day. */
async function askOn(day: number, path: string) {
  vi.useFakeTimers({ toFake: ['Date'], now: startOf(day + 1).getTime() - 1 });
  const response = await call(harness.app, 'GET', `/api/admin/projects/${path}`);
  vi.useRealTimers();
  expect(response.status).toBe(200);
  return response.body;
}

/** Executes an action through the API and on the model. Actions that do not apply change nothing. */
async function perform(act: Act, world: World, now: number): Promise<void> {
  if (act.kind === 'create') return await create(act.type, projects[act.project] ?? '', world, now);
  if (act.kind === 'lifetime') {
    await send('PUT', `feature-types/${act.type}/lifetime`, { lifetimeDays: act.days });
    world.lifetimes[act.type] = act.days;
    return;
  }
  const names = [...world.features.keys()];
  const name = names[act.pick % Math.max(1, names.length)];
  const model = name === undefined ? undefined : world.features.get(name);
  if (name === undefined || !model) return;
  const body = { features: [name] };
  if (act.kind === 'archive' && !model.archived) {
    await send('POST', `projects/${model.project}/archive`, body);
    model.archived = true;
  } else if (act.kind === 'revive' && model.archived) {
    await send('POST', `projects/${model.project}/revive`, body);
    model.archived = false;
    for (const place of PLACES) if (model.on[place]) toggleModel(model, place, now);
  } else if (act.kind === 'delete' && model.archived) {
    await send('POST', `projects/${model.project}/delete`, body);
    world.features.delete(name);
  } else if (!model.archived) await change(act, name, model, now);
}

async function create(type: string, project: string, world: World, now: number): Promise<void> {
  const name = `f-${run}-${world.features.size}`;
  if (world.features.has(name)) return;
  await send('POST', `projects/${project}/features`, { name, type });
  const both = <T>(value: T) => Object.fromEntries(PLACES.map(place => [place, value]));
  world.features.set(name, {
    project,
    type,
    createdAt: now,
    stale: false,
    archived: false,
    on: both(false),
    toggledAt: both(now),
    seen: false,
    strategies: false,
  });
}

async function change(act: Act, name: string, model: Model, now: number): Promise<void> {
  if (act.kind === 'stale') {
    model.stale = !model.stale;
    await send('POST', `projects/${model.project}/stale`, { features: [name], stale: model.stale });
  } else if (act.kind === 'type') {
    await send('PUT', `projects/${model.project}/features/${name}`, { type: act.type });
    model.type = act.type;
  } else if (act.kind === 'seen') {
    await markSeen(harness.db, name);
    model.seen = true;
  } else if (act.kind === 'toggle') {
    await send(
      'POST',
      `projects/${model.project}/features/${name}/environments/${act.place}/${model.on[act.place] ? 'off' : 'on'}`,
    );
    toggleModel(model, act.place, now);
    model.strategies = true;
  } else if (act.kind === 'move') {
    const target = projects.find(one => one !== model.project) ?? '';
    // The effect of a move, as its event describes it.
    await sql`update features set project = ${target} where name = ${name}`.execute(harness.db);
    await sql`
      insert into events (group_id, type, created_by, project, feature_name, data)
      values ('x', 'feature-project-change', 'x', ${target}, ${name},
        ${JSON.stringify({ oldProject: model.project, newProject: target })}::jsonb)`.execute(harness.db);
    model.project = target;
  }
}

function toggleModel(model: Model, place: string, now: number): void {
  model.on[place] = !model.on[place];
  model.toggledAt[place] = now;
}

/** Moves everything that was just written to the simulated day. */
async function datedTo(now: number, after: number): Promise<void> {
  const time = new Date(now);
  const since = sql`now() - interval '1 minute'`;
  await sql`update events set created_at = ${time}, data = case when data ? 'createdAt' then jsonb_set(data, '{createdAt}', to_jsonb(${time.toISOString()}::text)) else data end where id > ${after}`.execute(
    harness.db,
  );
  await sql`update features set created_at = ${time} where created_at > ${since}`.execute(harness.db);
  await sql`update features set archived_at = ${time} where archived_at > ${since}`.execute(harness.db);
  await sql`update feature_environments set switched_at = ${time} where switched_at > ${since}`.execute(
    harness.db,
  );
}

const lastEvent = async (): Promise<number> =>
  (await sql<{ id: number }>`select coalesce(max(id), 0) as id from events`.execute(harness.db)).rows[0]
    ?.id ?? 0;

/** Recomputes the health from the model. */
function recompute(world: World, project: string, at: number) {
  const mine = [...world.features].filter(([, model]) => model.project === project && !model.archived);
  const settled = (model: Model) => Math.max(...Object.values(model.toggledAt)) <= at - 30 * DAY_MS;
  const ages = ({ type }: Model) => (world.lifetimes[type] ?? null) !== null;
  const isOld = (model: Model) =>
    !model.stale && ages(model) && at - model.createdAt >= (world.lifetimes[model.type] ?? 0) * DAY_MS;
  const isNew = (model: Model) => model.createdAt > at - 7 * DAY_MS;
  const anySeen = [...world.features.values()].some(model => model.project === project && model.seen);
  const names = (holds: (model: Model) => boolean) =>
    mine.filter(([, model]) => holds(model)).map(([name]) => name);
  const rules = {
    stale: names(model => model.stale),
    'past-lifetime': names(isOld),
    'enabled-everywhere': names(
      model => ages(model) && settled(model) && Object.values(model.on).every(on => on),
    ),
    'disabled-everywhere': names(
      model => ages(model) && settled(model) && Object.values(model.on).every(on => !on),
    ),
    'never-seen': anySeen ? names(model => !model.seen && !isNew(model)) : [],
    'no-strategies': names(model => !model.strategies && !isNew(model)),
  };
  const [stale, potentiallyStale] = [rules.stale.length, rules['past-lifetime'].length];
  const features = mine.length;
  const health = features === 0 ? 100 : Math.round(100 - (100 * (stale + potentiallyStale)) / features);
  return { counts: { features, stale, potentiallyStale }, health, rules };
}

type Told = { rule: string; feature: string };
async function compare(day: number, world: World) {
  const at = startOf(day + 1).getTime() - 1;
  const days: Record<string, object> = {};
  for (const project of projects) {
    const expected = recompute(world, project, at);
    const { features, stale, potentiallyStale } = expected.counts;
    const rating = {
      activeCount: features - stale,
      potentiallyStaleCount: potentiallyStale,
      staleCount: stale,
    };

    const report = await askOn(day, `${project}/health-report`);
    expect(report).toMatchObject({
      health: expected.health,
      technicalDebt: 100 - expected.health,
      ...rating,
    });
    expect(report.features).toHaveLength(features);
    expect(report.features.filter((feature: { stale: boolean }) => feature.stale)).toHaveLength(stale);

    const explained = await askOn(day, `${project}/health?limit=1000`);
    expect(explained).toMatchObject({ health: expected.health, counts: expected.counts });
    const found = Map.groupBy(explained.findings as Told[], ({ rule }) => rule);
    for (const [rule, names] of Object.entries(expected.rules)) {
      expect([rule, ...(found.get(rule) ?? []).map(({ feature }) => feature).toSorted()]).toEqual([
        rule,
        ...names.toSorted(),
      ]);
    }

    expect(await askOn(day, `${project}/status`)).toMatchObject({
      health: { current: expected.health },
      staleFlags: { total: stale + potentiallyStale },
    });
    expect(await askOn(day, `${project}/insights`)).toMatchObject({
      health: { rating: expected.health, ...rating },
    });
    days[project] = { date: dateOf(day), health: expected.health, ...expected.counts };
  }
  return days;
}

test(
  `report, findings, status, insights and history agree with a plain recomputation (seed ${SEED})`,
  GENERATED,
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(history, async chapters => {
        run++;
        projects = [`left-${run}`, `right-${run}`];
        for (const id of projects) await send('POST', 'projects', { id, name: id });
        const world: World = {
          features: new Map(),
          lifetimes: { release: 40, experiment: 40, operational: 7, 'kill-switch': null, sunset: 90 },
        };
        for (const [type, days] of Object.entries(world.lifetimes))
          await send('PUT', `feature-types/${type}/lifetime`, { lifetimeDays: days });
        await datedTo(START - DAY_MS, 0);
        const taken: Record<string, object>[] = [];
        let day = 0;
        for (const [pause, chapter] of chapters) {
          day = Math.min(day + pause, DAYS);
          const before = await lastEvent();
          const noon = startOf(day).getTime() + DAY_MS / 2 + taken.length;
          for (const act of chapter) await perform(act, world, noon);
          await datedTo(noon, before);
          taken.push(await compare(day, world));
        }

        for (const project of projects) {
          const { days } = (
            await call(
              harness.app,
              'GET',
              `/api/admin/projects/${project}/health/history?from=${dateOf(0)}&to=${dateOf(DAYS)}`,
            )
          ).body;
          const again = (
            await call(
              harness.app,
              'GET',
              `/api/admin/projects/${project}/health/history?from=${dateOf(0)}&to=${dateOf(DAYS)}`,
            )
          ).body;
          expect(again.days).toEqual(days);
          // On a day with several chapters, the last report is the one at the end of the day.
          for (const one of new Map(
            taken.map(of => [(of[project] as { date: string }).date, of[project] as { date: string }]),
          ).values()) {
            const { technicalDebt: _, ...stored } = days.find(
              ({ date }: { date: string }) => date === one.date,
            );
            expect(stored).toEqual(one);
            compared++;
          }
        }
      }),
      { numRuns: ROUNDS, seed: SEED, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(ROUNDS * 6);
  },
);
