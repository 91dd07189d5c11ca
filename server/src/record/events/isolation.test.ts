import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { SYSTEM } from '../../platform/actor.ts';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { change } from '../change.ts';

const RUNS = campaignSize({ usual: 60, long: 3_000 });

const PROJECTS = {
  alpha: 'open',
  beta: 'protected',
  gamma: 'private',
  delta: 'private',
  epsilon: 'open',
} as const;
type ProjectName = keyof typeof PROJECTS;
const NAMES = Object.keys(PROJECTS) as ProjectName[];
const TYPES = ['feature-created', 'feature-tagged', 'segment-created'] as const;
const FEATURES = ['one', 'two', null];
const ENVIRONMENTS = ['development', 'production', null];
const WORDS = ['needle', 'Hay_stack', '100%'];

type Caller = { id: number; token: string; isAdmin: boolean; projects: ProjectName[] };
type WrittenEvent = {
  id: number;
  project: ProjectName | null;
  type: string;
  featureName: string | null;
  environment: string | null;
  createdByUserId: number;
  word: string;
};

const harness = useHarness();
const callers: Caller[] = [];
const writtenEvents: WrittenEvent[] = [];

/** Decides whether a caller can see an event, independently of the code under test. */
const isVisible = (event: WrittenEvent, caller: Caller): boolean =>
  caller.isAdmin ||
  (event.project === null
    ? event.createdByUserId === caller.id
    : PROJECTS[event.project] !== 'private' || caller.projects.includes(event.project));

beforeAll(async () => {
  const { db } = harness;
  for (const name of NAMES) await makeProject(db, { id: name, mode: PROJECTS[name] });
  for (const projects of [[], ['gamma'], ['delta', 'alpha'], ['gamma', 'delta']] as ProjectName[][]) {
    const user = await makeUser(db, 'Viewer');
    for (const name of projects) await makeMember(db, user, name, 'Reader');
    callers.push({ ...user, isAdmin: false, projects });
  }
  callers.push({ ...(await makeUser(db, 'Admin')), isAdmin: true, projects: [] });
  callers.push({ ...(await makeUser(db, 'Editor')), isAdmin: false, projects: [] });

  const arbitrary = fc.record({
    project: fc.constantFrom(...NAMES, null),
    type: fc.constantFrom(...TYPES),
    featureName: fc.constantFrom(...FEATURES),
    environment: fc.constantFrom(...ENVIRONMENTS),
    createdByUserId: fc.constantFrom(1, 2, -42),
    word: fc.constantFrom(...WORDS),
  });
  for (const event of fc.sample(arbitrary, { numRuns: 400, seed: SEED })) {
    const { createdByUserId, word, ...fields } = event;
    await change(db, { ...SYSTEM, userId: createdByUserId }, async ({ record }) =>
      record({ ...fields, data: { word } }),
    );
  }
  const { body } = await call(
    harness.app,
    'GET',
    `/api/admin/search/events?type=IS_ANY_OF:${TYPES}&limit=1000`,
  );
  for (const { data, ...event } of body.events) writtenEvents.push({ ...event, word: data.word });
});

const nonEmptySubset = <T>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const filters = fc.record(
  {
    project: nonEmptySubset([...NAMES, 'missing', '*']),
    type: nonEmptySubset(TYPES),
    feature: nonEmptySubset(['one', 'two', 'none']),
    environment: nonEmptySubset(['development', 'production']),
    createdBy: nonEmptySubset(['1', '2', '-42', '77']),
    query: fc.constantFrom('needle', 'hay_', 'HAYxSTACK', '0%', 'zzz'),
    limit: fc.constantFrom('1', '5', '1000'),
    offset: fc.constantFrom('0', '3', '500'),
  },
  { requiredKeys: [] },
);

test(
  `${RUNS} random searches by random callers return exactly the page and total that they can see (seed ${SEED})`,
  GENERATED,
  async () => {
    expect(writtenEvents).toHaveLength(400);

    await fc.assert(
      fc.asyncProperty(fc.nat(), filters, async (callerIndex, filter) => {
        const caller = callers[callerIndex % callers.length] as Caller;
        const includes = (values: string[] | undefined, value: unknown) =>
          !values || values.includes(String(value));
        const expected = writtenEvents.filter(
          event =>
            isVisible(event, caller) &&
            includes(filter.project, event.project) &&
            includes(filter.type, event.type) &&
            includes(filter.feature, event.featureName) &&
            includes(filter.environment, event.environment) &&
            includes(filter.createdBy, event.createdByUserId) &&
            `{"word": "${event.word}"}`.toLowerCase().includes((filter.query ?? '').toLowerCase()),
        );
        const offset = Number(filter.offset ?? 0);
        const page = expected.slice(offset, offset + Number(filter.limit ?? 50));
        // The search is limited to these types, to exclude the events of the fixture itself.
        const query = new URLSearchParams({ type: `IS_ANY_OF:${TYPES}` });
        for (const [name, value] of Object.entries(filter)) {
          query.set(name, Array.isArray(value) ? `IS_ANY_OF:${value.join(',')}` : String(value));
        }

        const { body } = await call(harness.app, 'GET', `/api/admin/search/events?${query}`, {
          token: caller.token,
        });

        expect(body.total).toBe(expected.length);
        expect(body.events.map((event: WrittenEvent) => event.id)).toEqual(page.map(event => event.id));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  },
);
