import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { GENERATED, SEED, sized } from '../test/campaign.ts';
import { useHarness } from '../test/harness.ts';
import {
  type AccessFixture,
  expected,
  makeAccessFixture,
  type Question,
  questions,
  USERS,
  worlds,
} from '../test/random-access.ts';
import { call } from '../test/request.ts';

const WORLDS = sized({ usual: 13, long: 128 });
const QUESTIONS = 25;

const harness = useHarness();
let fixture: AccessFixture;

beforeAll(async () => {
  fixture = await makeAccessFixture(harness);
});

type Listed = { permission: string; project?: string; environment?: string };
type Access = { permissions: Listed[]; projects: string[] };

/** The access of the user, as a client can read it. */
async function readAccess(user: string): Promise<Access> {
  const token = fixture.tokens[user] ?? '';
  const { body: me } = await call(harness.app, 'GET', '/api/admin/user', { token });
  const { body: list } = await call(harness.app, 'GET', '/api/admin/projects', { token });
  return { permissions: me.permissions, projects: list.projects.map(({ id }: { id: string }) => id) };
}

/** The status that a client computes, by the rule in docs/reference/users.md. */
function computed({ permissions, projects }: Access, { project, permission, environment }: Question): number {
  if (project !== null && !projects.includes(project)) return 404;
  if (permission === null) return 200;
  const permits = (one: Listed) =>
    (one.permission === permission || (one.permission === 'ADMIN' && one.project === undefined)) &&
    (one.project === undefined || one.project === project) &&
    (one.environment === undefined || one.environment === environment);
  return permissions.some(permits) ? 400 : 403;
}

test(
  `${WORLDS} random worlds, ${WORLDS * QUESTIONS} questions: the API follows the permission rule (seed ${SEED})`,
  GENERATED,
  async () => {
    const statuses: Record<number, number> = {};

    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(questions, { minLength: QUESTIONS, maxLength: QUESTIONS }),
        async (world, asked) => {
          await fixture.create(world);
          const access = new Map<string, Access>();
          for (const user of USERS) access.set(user, await readAccess(user));
          for (const question of asked) {
            const status = expected(world, question);
            statuses[status] = (statuses[status] ?? 0) + 1;
            expect([question, await fixture.statusOf(question)]).toEqual([question, status]);
            const known = access.get(question.user) ?? { permissions: [], projects: [] };
            expect([question, computed(known, question)]).toEqual([question, status]);
          }
        },
      ),
      // Without shrinking, which would create a hundred more worlds.
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );

    // A run in which everything is allowed, or nothing is, proves little.
    const share = (status: number) => (statuses[status] ?? 0) / (WORLDS * QUESTIONS);
    for (const status of [200, 400, 403, 404]) expect(share(status)).toBeGreaterThan(0.01);
  },
);
