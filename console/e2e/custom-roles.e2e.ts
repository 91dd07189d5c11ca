import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { GENERATED, sized } from '../../server/src/test/campaign.ts';
import { permissionsOf } from '../src/api/api.gen.ts';
import { can, EVERYWHERE, type Me, type OperationId } from '../src/api/can.ts';
import { type Api, createPerson, unique } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { logIn } from './support/log-in.ts';
import { openPage } from './support/open-page.ts';
import { test } from './support/test.ts';

const ROLES = sized({ usual: 3, long: 200 });
const SEED = Number(process.env.ROLES_SEED ?? Date.now() % 1_000_000_000);
const ENVIRONMENTS = ['development', 'production'];

type Place = { project?: string; environment?: string };
type Permissions = {
  root: { name: string }[];
  project: { name: string }[];
  environments: { name: string; permissions: { name: string }[] }[];
};

/** The method and the path of each operation that requires a permission. */
const ROUTES = new Map(
  Object.entries(
    JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).paths as Record<
      string,
      Record<string, { operationId: string }>
    >,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { method, path }] as const),
  ),
);

/** The same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A world with two projects. In the first one, the user has the random role. */
async function createWorld(api: Api) {
  const own = await flagWithStrategy(api);
  const other = await flagWithStrategy(api);
  await api.send('POST', `${own.base}/link`, { url: 'https://example.com/1', title: 'Ticket' });
  const { roles: root } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `root ${unique()}`,
    type: 'root-custom',
    permissions: [],
  });
  const { roles: project } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `project ${unique()}`,
    type: 'custom',
    permissions: [],
  });
  const person = await createPerson(api);
  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: root.id });
  await api.send('PUT', `/api/admin/projects/${own.project}/users/${person.id}/roles`, {
    roles: [project.id],
  });
  const { permissions } = await api.send<{ permissions: Permissions }>('GET', '/api/admin/permissions');
  return { own, other, root, project, person, permissions };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** Gives the two roles random permissions: few, many or about half of them. */
async function drawRoles(api: Api, { root, project, permissions }: World, random: () => number) {
  const density = random();
  const draw = <T>(list: readonly T[]): T[] => list.filter(() => random() < density);
  const rootPermissions = draw(permissions.root.filter(({ name }) => name !== 'ADMIN'));
  const inProject = draw(permissions.project).map(({ name }) => ({ name }));
  const inEnvironments = permissions.environments
    .filter(({ name }) => ENVIRONMENTS.includes(name))
    .flatMap(({ name: environment, permissions: own }) =>
      draw(own).map(({ name }) => ({ name, environment })),
    );
  const save = (id: number, name: string, list: object[]) =>
    api.send('PUT', `/api/admin/roles/${id}`, { name, permissions: list });
  await save(
    root.id,
    `root ${root.id}`,
    rootPermissions.map(({ name }) => ({ name })),
  );
  await save(project.id, `project ${project.id}`, [...inProject, ...inEnvironments]);
}

/**
 * Whether the server lets the user call the operation. It rejects the comment of the request, so that nothing changes,
 * but only after it has checked the permission.
 */
async function accepts(page: Page, operation: string, { project, environment }: Place, world: World) {
  const route = ROUTES.get(operation);
  if (!route) throw new Error(`openapi.json has no operation ${operation}`);
  const { own, other } = world;
  const flag = project === other.project ? other : own;
  const values: Record<string, string> = {
    projectId: flag.project,
    featureName: flag.name,
    environment: environment ?? 'development',
    strategyId: flag.id,
    strategyName: 'flexibleRollout',
    contextField: 'userId',
    holderId: String(world.person.id),
    subject: flag.name,
    rule: 'stale',
    linkId: '1',
    tokenId: '1',
    groupId: '1',
    roleId: '1',
    eventId: '1',
    id: '1',
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'none');
  const response = await page.request.fetch(path, {
    method: route.method,
    ...(route.method === 'get' || route.method === 'delete' ? {} : { data: {} }),
    headers: { 'sec-fetch-site': 'same-origin', 'halyard-comment': 'x'.repeat(501) },
    failOnStatusCode: false,
  });
  return response.status() !== 403;
}

/** The server decides by the body, which the probe does not have: a segment can belong to a project. */
const BY_BODY: readonly string[] = ['createSegment'];
/** The path has no project, but a permission in projects is not enough. */
const ON_INSTANCE: readonly string[] = ['deleteTag'];

/** What the console would enable compared with what the server accepts, for every operation with a permission. */
async function compareOperations(page: Page, world: World): Promise<string[]> {
  const me = (await (await page.request.get('/api/admin/user')).json()) as Me;
  const wrong: string[] = [];
  for (const operation of Object.keys(permissionsOf) as OperationId[]) {
    const path = ROUTES.get(operation)?.path ?? '';
    const projects = /\{(projectId|featureName)\}/.test(path)
      ? [world.own.project, world.other.project]
      : [undefined];
    const environments = path.includes('/environments/{environment}') ? ENVIRONMENTS : [undefined];
    if (BY_BODY.includes(operation)) continue;
    for (const project of projects)
      for (const environment of environments) {
        const place = { ...(project && { project }), ...(environment && { environment }) };
        const isEnabled = can(
          me,
          operation,
          ON_INSTANCE.includes(operation) ? { project: EVERYWHERE } : place,
        );
        if (isEnabled !== (await accepts(page, operation, place, world)))
          wrong.push(`${operation} ${JSON.stringify(place)}: ${isEnabled ? 'enabled' : 'disabled'}`);
      }
  }
  return wrong;
}

/** The pages with controls, and what else has to be clicked to see them. */
const pagesOf = ({ own: { address, project } }: World): string[] => [
  `/projects/${project}`,
  `${address}?environment=production`,
  `${address}/dependencies`,
  `${address}/settings`,
  `/projects/${project}/health`,
  `/projects/${project}/settings/environments`,
  `/projects/${project}/settings/danger`,
  '/projects',
  '/integrations',
  '/admin/segments',
  '/admin/context-fields',
  '/admin/environments',
  '/admin/tags',
];

/** The controls of the page that call an operation: the operation, its scope, and whether the control is enabled. */
const controlsOf = (page: Page): Promise<{ call: string; isEnabled: boolean }[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-call]')].map(element => ({
      call: element.dataset.call ?? '',
      isEnabled: element.getAttribute('aria-disabled') !== 'true',
    })),
  );

test(
  `${ROLES} random custom roles: exactly the controls that the server accepts are enabled (seed ${SEED})`,
  GENERATED,
  async ({ page, api }) => {
    const random = generator(SEED);
    const world = await createWorld(api);
    await logIn(page, world.person);
    const wrong = new Set<string>();
    const seen = new Map<string, number>();

    for (let role = 0; role < ROLES; role++) {
      await drawRoles(api, world, random);
      for (const one of await compareOperations(page, world)) wrong.add(one);
      const decided = new Map<string, boolean>();
      for (const path of pagesOf(world)) {
        await openPage(page, path);
        for (const { call, isEnabled } of await controlsOf(page)) {
          const [operation = '', project = '', environment = ''] = call.split(' ');
          if (BY_BODY.includes(operation)) continue;
          // Other tests have projects on this server too, in which the user has no role.
          if (project !== '' && ![world.own.project, world.other.project].includes(project)) continue;
          const places = project === '' ? [world.own.project, world.other.project] : [project];
          if (!decided.has(call)) {
            const results = [];
            for (const one of places)
              results.push(
                await accepts(page, operation, { project: one, ...(environment && { environment }) }, world),
              );
            decided.set(call, results.includes(true));
          }
          seen.set(operation, (seen.get(operation) ?? 0) + 1);
          if (decided.get(call) !== isEnabled)
            wrong.add(`${path} ${call}: ${isEnabled ? 'enabled' : 'disabled'}`);
        }
      }
    }

    expect([...wrong]).toEqual([]);
    // Otherwise the test would pass without checking anything.
    expect(seen.size).toBeGreaterThan(15);
  },
);
