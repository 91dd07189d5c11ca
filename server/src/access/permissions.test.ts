import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../test/campaign.ts';
import { useHarness } from '../test/harness.ts';
import {
  type AccessFixture,
  type AccessQuery,
  accessQueries,
  makeAccessFixture,
  predictStatus,
  USERS,
  worlds,
} from '../test/random-access.ts';
import { call } from '../test/request.ts';

const WORLDS = campaignSize({ usual: 13, long: 128 });
const QUERIES_PER_WORLD = 25;

const harness = useHarness();
let fixture: AccessFixture;

beforeAll(async () => {
  fixture = await makeAccessFixture(harness);
});

type ListedPermission = { permission: string; project?: string; environment?: string };
type Access = { permissions: ListedPermission[]; projects: string[] };

/** Reads what the API says about the user's access. */
async function readAccess(user: string): Promise<Access> {
  const token = fixture.tokens[user] ?? '';
  const { body: me } = await call(harness.app, 'GET', '/api/admin/user', { token });
  const { body: list } = await call(harness.app, 'GET', '/api/admin/projects', { token });
  return { permissions: me.permissions, projects: list.projects.map(({ id }: { id: string }) => id) };
}

/** Returns the status that a client computes from the rule in docs/reference/users.md. */
function computeStatus(
  { permissions, projects }: Access,
  { project, permission, environment }: AccessQuery,
): number {
  if (project !== null && !projects.includes(project)) return 404;
  if (permission === null) return 200;
  const permits = (listedPermission: ListedPermission) =>
    (listedPermission.permission === permission ||
      (listedPermission.permission === 'ADMIN' && listedPermission.project === undefined)) &&
    (listedPermission.project === undefined || listedPermission.project === project) &&
    (listedPermission.environment === undefined || listedPermission.environment === environment);
  return permissions.some(permits) ? 400 : 403;
}

test(
  `${WORLDS} random worlds, ${WORLDS * QUERIES_PER_WORLD} queries: the API and the documented client rule agree with the model (seed ${SEED})`,
  GENERATED,
  async () => {
    const statuses: Record<number, number> = {};

    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(accessQueries, { minLength: QUERIES_PER_WORLD, maxLength: QUERIES_PER_WORLD }),
        async (world, queries) => {
          await fixture.create(world);
          const access = new Map<string, Access>();
          for (const user of USERS) access.set(user, await readAccess(user));
          for (const query of queries) {
            const status = predictStatus(world, query);
            statuses[status] = (statuses[status] ?? 0) + 1;
            expect([query, await fixture.readStatus(query)]).toEqual([query, status]);
            const knownAccess = access.get(query.user) ?? { permissions: [], projects: [] };
            expect([query, computeStatus(knownAccess, query)]).toEqual([query, status]);
          }
        },
      ),
      // endOnFailure disables shrinking, which would create a hundred more worlds.
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );

    // A run that allows everything or nothing would prove little.
    const share = (status: number) => (statuses[status] ?? 0) / (WORLDS * QUERIES_PER_WORLD);
    for (const status of [200, 400, 403, 404]) expect(share(status)).toBeGreaterThan(0.01);
  },
);
