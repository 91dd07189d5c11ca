import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { GENERATED, SEED, sized } from '../../test/campaign.ts';
import { useHarness } from '../../test/harness.ts';
import {
  type AccessFixture,
  makeAccessFixture,
  type Question,
  questions,
  worlds,
} from '../../test/random-access.ts';
import { call } from '../../test/request.ts';
import type { AccessChange, AccessExplanation } from './schema.ts';

const QUESTIONS = sized({ usual: 300, long: 3_000 });
const PER_WORLD = 20;
const WORLDS = QUESTIONS / PER_WORLD;

const harness = useHarness();
let fixture: AccessFixture;

beforeAll(async () => {
  fixture = await makeAccessFixture(harness);
});

async function explain(question: Question, token?: string) {
  const { user, project, permission, environment } = question;
  const query = new URLSearchParams({
    user: String(fixture.idOf(user)),
    ...(permission === null ? {} : { permission }),
    ...(project === null ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
  });
  const url = `/api/admin/access/explain?${query}`;
  return await call(harness.app, 'GET', url, token === undefined ? {} : { token });
}

/** What the server decided, from the status of a request that requires exactly this permission. */
const REASONS: Record<number, AccessExplanation['reason'][]> = {
  200: ['admin', 'role', 'everyone'],
  400: ['admin', 'role'],
  403: ['lacks-permission'],
  404: ['cannot-read-project'],
};

/** Carries out a proposed change, as an admin would. */
async function carryOut({ kind, role, group }: AccessChange, { user, project }: Question): Promise<void> {
  const id = fixture.idOf(user);
  const admin = async (method: 'POST' | 'PUT', path: string, body?: object) => {
    const response = await call(harness.app, method, `/api/admin/${path}`, { body });
    expect([path, response.status]).toEqual([path, 200]);
  };
  if (kind === 'grant-project-role') await admin('POST', `projects/${project}/users/${id}/roles/${role.id}`);
  else if (kind === 'set-root-role') await admin('PUT', `user-admin/${id}`, { rootRole: role.id });
  else {
    const { body } = await call(harness.app, 'GET', `/api/admin/groups/${group?.id}`);
    const members = body.users.map(({ user: { id: member } }: { user: { id: number } }) => member);
    await admin('PUT', `groups/${group?.id}`, {
      name: body.name,
      users: [...members, id].map(member => ({ user: { id: member } })),
    });
  }
}

test(
  `${QUESTIONS} random questions: the explanation is what the server decides (seed ${SEED})`,
  GENERATED,
  async () => {
    const reasons: Record<string, number> = {};
    const kinds: Record<string, number> = {};

    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(questions, { minLength: PER_WORLD, maxLength: PER_WORLD }),
        fc.nat(),
        async (world, asked, pick) => {
          await fixture.create(world);
          const denied: { question: Question; changes: AccessChange[] }[] = [];
          for (const question of asked) {
            const status = await fixture.statusOf(question);
            const { body }: { body: AccessExplanation } = await explain(question);
            reasons[body.reason] = (reasons[body.reason] ?? 0) + 1;
            expect([question, status, body.allowed]).toEqual([question, status, status < 403]);
            expect(REASONS[status]).toContain(body.reason);
            const isRead = body.reason !== 'cannot-read-project';
            if (isRead && body.reason !== 'everyone')
              expect([question, body.paths.length > 0]).toEqual([question, body.allowed]);
            if (!body.allowed) denied.push({ question, changes: body.changes });

            const own = await explain(question, fixture.tokens[question.user]);
            if (status === 404) expect(own.status).toBe(404);
            else expect(own.body).toMatchObject({ allowed: body.allowed, paths: body.paths });
          }
          // One of the proposed changes, carried out: the request is accepted, and the explanation says so.
          const chosen = denied.at(pick % Math.max(denied.length, 1));
          const changed = chosen?.changes.at(pick % Math.max(chosen.changes.length, 1));
          if (!chosen || !changed) return;
          kinds[changed.kind] = (kinds[changed.kind] ?? 0) + 1;
          await carryOut(changed, chosen.question);
          expect((await explain(chosen.question)).body).toMatchObject({ allowed: true });
          expect(await fixture.statusOf(chosen.question)).toBeLessThan(403);
          // The API would keep the last owner of the project in the next world.
          await harness.db.deleteFrom('user_roles').where('role_id', '=', PROJECT_ROLES.Owner).execute();
        },
      ),
      // Without shrinking, which would create a hundred more worlds.
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );

    // A run in which everything is allowed, or nothing is, proves little.
    for (const reason of ['admin', 'role', 'lacks-permission', 'cannot-read-project'])
      expect([reason, reasons[reason] ?? 0]).toEqual([
        reason,
        expect.toSatisfy(count => count > QUESTIONS / 60),
      ]);
    expect(Object.keys(kinds).length).toBeGreaterThan(1);
  },
);

test('a private project is the same as a missing one to those who cannot read it', async () => {
  const { tokens, idOf } = fixture;
  await call(harness.app, 'PUT', '/api/admin/projects/alpha/access', { body: { roles: [] } });
  await call(harness.app, 'PUT', '/api/admin/projects/alpha/settings', { body: { mode: 'private' } });
  await call(harness.app, 'PUT', `/api/admin/user-admin/${idOf('ann')}`, { body: { rootRole: 3 } });
  for (const name of ['reds', 'blues'])
    await call(harness.app, 'PUT', `/api/admin/groups/${idOf(name)}`, { body: { name, users: [] } });
  const ask = async (project: string, rest: string) => {
    const url = `/api/admin/access/explain?project=${project}${rest}`;
    const { status, body } = await call(harness.app, 'GET', url, { token: tokens.ann ?? '' });
    return { status, name: body.name, message: body.message?.replaceAll(project, '…') };
  };

  for (const rest of ['', '&permission=CREATE_FEATURE', '&environment=nowhere', '&environment=production'])
    expect([rest, await ask('alpha', rest)]).toEqual([rest, { ...(await ask('nosuch', rest)), status: 404 }]);
});
