import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { campaignSize, GENERATED, SEED } from '../../test/campaign.ts';
import { useHarness } from '../../test/harness.ts';
import {
  type AccessFixture,
  type AccessQuery,
  accessQueries,
  makeAccessFixture,
  worlds,
} from '../../test/random-access.ts';
import { call } from '../../test/request.ts';
import type { AccessChange, AccessExplanation } from './schema.ts';

const QUERY_COUNT = campaignSize({ usual: 300, long: 3_000 });
const QUERIES_PER_WORLD = 20;
const WORLD_COUNT = QUERY_COUNT / QUERIES_PER_WORLD;

const harness = useHarness();
let fixture: AccessFixture;

beforeAll(async () => {
  fixture = await makeAccessFixture(harness);
});

async function explain(accessQuery: AccessQuery, token?: string) {
  const { user, project, permission, environment } = accessQuery;
  const parameters = new URLSearchParams({
    user: String(fixture.getId(user)),
    ...(permission === null ? {} : { permission }),
    ...(project === null ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
  });
  const url = `/api/admin/access/explain?${parameters}`;
  return await call(harness.app, 'GET', url, token === undefined ? {} : { token });
}

/** The reasons that can explain each status of a request that requires only the permission in question. */
const REASONS_BY_STATUS: Record<number, AccessExplanation['reason'][]> = {
  200: ['admin', 'role', 'everyone'],
  400: ['admin', 'role'],
  403: ['lacks-permission'],
  404: ['cannot-read-project'],
};

/** Makes a proposed change as an admin. */
async function applyChange(
  { kind, role, group }: AccessChange,
  { user, project }: AccessQuery,
): Promise<void> {
  const id = fixture.getId(user);
  const sendAsAdmin = async (method: 'POST' | 'PUT', path: string, body?: object) => {
    const response = await call(harness.app, method, `/api/admin/${path}`, { body });
    expect([path, response.status]).toEqual([path, 200]);
  };
  if (kind === 'grant-project-role')
    await sendAsAdmin('POST', `projects/${project}/users/${id}/roles/${role.id}`);
  else if (kind === 'set-root-role') await sendAsAdmin('PUT', `user-admin/${id}`, { rootRole: role.id });
  else {
    const { body } = await call(harness.app, 'GET', `/api/admin/groups/${group?.id}`);
    const members = body.users.map(({ user: { id: member } }: { user: { id: number } }) => member);
    await sendAsAdmin('PUT', `groups/${group?.id}`, {
      name: body.name,
      users: [...members, id].map(member => ({ user: { id: member } })),
    });
  }
}

test(
  `${QUERY_COUNT} random queries: the explanation matches the server's decision (seed ${SEED})`,
  GENERATED,
  async () => {
    const reasonCounts: Record<string, number> = {};
    const kindCounts: Record<string, number> = {};

    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(accessQueries, { minLength: QUERIES_PER_WORLD, maxLength: QUERIES_PER_WORLD }),
        fc.nat(),
        async (world, worldQueries, pick) => {
          await fixture.create(world);
          const deniedQueries: { query: AccessQuery; changes: AccessChange[] }[] = [];
          for (const query of worldQueries) {
            const status = await fixture.readStatus(query);
            const { body }: { body: AccessExplanation } = await explain(query);
            reasonCounts[body.reason] = (reasonCounts[body.reason] ?? 0) + 1;
            expect([query, status, body.allowed]).toEqual([query, status, status < 403]);
            expect(REASONS_BY_STATUS[status]).toContain(body.reason);
            const isReadable = body.reason !== 'cannot-read-project';
            if (isReadable && body.reason !== 'everyone')
              expect([query, body.paths.length > 0]).toEqual([query, body.allowed]);
            if (!body.allowed) deniedQueries.push({ query, changes: body.changes });

            const ownExplanation = await explain(query, fixture.tokens[query.user]);
            if (status === 404) expect(ownExplanation.status).toBe(404);
            else expect(ownExplanation.body).toMatchObject({ allowed: body.allowed, paths: body.paths });
          }
          // Makes one of the proposed changes. The request is then accepted, and the explanation says so.
          const deniedQuery = deniedQueries.at(pick % Math.max(deniedQueries.length, 1));
          const change = deniedQuery?.changes.at(pick % Math.max(deniedQuery.changes.length, 1));
          if (!deniedQuery || !change) return;
          kindCounts[change.kind] = (kindCounts[change.kind] ?? 0) + 1;
          await applyChange(change, deniedQuery.query);
          expect((await explain(deniedQuery.query)).body).toMatchObject({ allowed: true });
          expect(await fixture.readStatus(deniedQuery.query)).toBeLessThan(403);
          // Creating the next world uses the API, which never removes a project's last owner, so the owners are removed here.
          await harness.db.deleteFrom('user_roles').where('role_id', '=', PROJECT_ROLES.Owner).execute();
        },
      ),
      // Shrinking is disabled, because it would create a hundred more worlds.
      { numRuns: WORLD_COUNT, seed: SEED, endOnFailure: true },
    );

    // A run in which everything is allowed, or nothing is, would prove little.
    for (const reason of ['admin', 'role', 'lacks-permission', 'cannot-read-project'])
      expect([reason, reasonCounts[reason] ?? 0]).toEqual([
        reason,
        expect.toSatisfy(count => count > QUERY_COUNT / 60),
      ]);
    expect(Object.keys(kindCounts).length).toBeGreaterThan(1);
  },
);

test('returns the same response for a private project that the caller cannot read as for a missing project', async () => {
  const { tokens, getId } = fixture;
  await call(harness.app, 'PUT', '/api/admin/projects/alpha/access', { body: { roles: [] } });
  await call(harness.app, 'PUT', '/api/admin/projects/alpha/settings', { body: { mode: 'private' } });
  await call(harness.app, 'PUT', `/api/admin/user-admin/${getId('ann')}`, { body: { rootRole: 3 } });
  for (const name of ['reds', 'blues'])
    await call(harness.app, 'PUT', `/api/admin/groups/${getId(name)}`, { body: { name, users: [] } });
  const explainProject = async (project: string, parameters: string) => {
    const url = `/api/admin/access/explain?project=${project}${parameters}`;
    const { status, body } = await call(harness.app, 'GET', url, { token: tokens.ann ?? '' });
    return { status, name: body.name, message: body.message?.replaceAll(project, '…') };
  };

  for (const parameters of [
    '',
    '&permission=CREATE_FEATURE',
    '&environment=nowhere',
    '&environment=production',
  ])
    expect([parameters, await explainProject('alpha', parameters)]).toEqual([
      parameters,
      { ...(await explainProject('nosuch', parameters)), status: 404 },
    ]);
});
