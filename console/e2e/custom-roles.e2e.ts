import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { GENERATED, SEED, sized } from '../../server/src/test/campaign.ts';
import { permissionsOf } from '../src/api/api.gen.ts';
import { can, EVERYWHERE, type Me, type OperationId } from '../src/api/can.ts';
import { keys } from '../src/api/keys.ts';
import { type Api, createPerson, unique } from './support/api.ts';
import { flagWithStrategy } from './support/flag.ts';
import { logIn } from './support/log-in.ts';
import { goTo, openPage } from './support/open-page.ts';
import { test } from './support/test.ts';

const ROLES = sized({ usual: 3, long: 200 });
/** How often a user with the role opens the pages itself. For the other roles, the pages are already open, which takes a tenth of the time. */
const VISIT_EVERY = 20;
/** How many of the operations that no page shows are sent to the server for each role. */
const PROBES = sized({ usual: 60, long: 20 });
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
  const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', {
    name: `segment-${unique()}`,
    project: own.project,
    constraints: [],
  });
  const { id: integration } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    enabled: false,
    parameters: { url: 'https://example.com' },
    events: ['feature-created'],
  });
  return { own, other, root, project, person, permissions, segment: segment.id, integration };
}
type World = Awaited<ReturnType<typeof createWorld>>;

type Permission = { name: string; environment?: string };
type Roles = { root: Permission[]; project: Permission[] };

/** Random permissions for the two roles: few, many or about half of them. */
function drawRoles({ permissions }: World, random: () => number): Roles {
  const density = random();
  const draw = <T>(list: readonly T[]): T[] => list.filter(() => random() < density);
  return {
    root: draw(permissions.root.filter(({ name }) => name !== 'ADMIN')).map(({ name }) => ({ name })),
    project: [
      ...draw(permissions.project).map(({ name }) => ({ name })),
      ...permissions.environments
        .filter(({ name }) => ENVIRONMENTS.includes(name))
        .flatMap(({ name: environment, permissions: own }) =>
          draw(own).map(({ name }) => ({ name, environment })),
        ),
    ],
  };
}

async function saveRoles(api: Api, { root, project }: World, roles: Roles): Promise<void> {
  const save = (id: number, name: string, permissions: Permission[]) =>
    api.send('PUT', `/api/admin/roles/${id}`, { name: `${name} ${id}`, permissions });
  await save(root.id, 'root', roles.root);
  await save(project.id, 'project', roles.project);
}

/** Requests as the user of the page. */
type Send = (method: string, path: string, headers?: Record<string, string>) => Promise<Response>;

async function sendAs(page: Page, url: string): Promise<Send> {
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return (method, path, headers = {}) =>
    fetch(url + path, {
      method: method.toUpperCase(),
      headers: {
        cookie,
        'sec-fetch-site': 'same-origin',
        ...(method === 'get' || method === 'delete' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
    });
}

/** Names in can.ts of operations on a segment, whose permission depends on its project. */
const ON_PROJECT_SEGMENT: Record<string, string> = {
  updateProjectSegment: 'updateSegment',
  deleteProjectSegment: 'deleteSegment',
};

/**
 * Whether the server lets the user call the operation. It rejects the comment of the request, so that nothing changes,
 * but only after it has checked the permission.
 */
async function accepts(send: Send, operation: string, { project, environment }: Place, world: World) {
  const route = ROUTES.get(ON_PROJECT_SEGMENT[operation] ?? operation);
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
    id: operation in ON_PROJECT_SEGMENT ? String(world.segment) : '1',
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'none');
  const response = await send(route.method, path, { 'halyard-comment': 'x'.repeat(501) });
  await response.arrayBuffer();
  return response.status !== 403;
}

/** The server decides by the body, which the probe does not have: a segment can belong to a project. */
const BY_BODY: readonly string[] = ['createSegment'];
/** The path has no project, but a permission in projects is not enough. */
const ON_INSTANCE: readonly string[] = ['deleteTag'];

/** What the console would enable compared with what the server accepts, for some of the operations with a permission. */
async function compareOperations(send: Send, me: Me, world: World, random: () => number): Promise<string[]> {
  const wrong: string[] = [];
  const operations = Object.keys(permissionsOf).filter(one => !BY_BODY.includes(one)) as OperationId[];
  for (let probe = 0; probe < PROBES; probe++) {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const operation = pick(operations);
    const path = ROUTES.get(operation)?.path ?? '';
    const place: Place = {
      ...(/\{(projectId|featureName)\}/.test(path) && {
        project: pick([world.own.project, world.other.project]),
      }),
      ...(path.includes('/environments/{environment}') && { environment: pick(ENVIRONMENTS) }),
    };
    const isEnabled = can(me, operation, ON_INSTANCE.includes(operation) ? { project: EVERYWHERE } : place);
    if (isEnabled !== (await accepts(send, operation, place, world)))
      wrong.push(`${operation} ${JSON.stringify(place)}: ${isEnabled ? 'enabled' : 'disabled'}`);
  }
  return wrong;
}

/** The pages with controls. */
const pagesOf = ({ own: { address, project }, other, segment, person, integration }: World): string[] => [
  `/projects/${project}`,
  `${address}?environment=production`,
  `${address}/dependencies`,
  `${address}/settings`,
  `/projects/${project}/health`,
  `/projects/${project}/segments`,
  `/projects/${project}/segments/${segment}`,
  `/projects/${project}/settings`,
  `/projects/${project}/settings/environments`,
  `/projects/${project}/settings/access`,
  `/projects/${project}/settings/tokens`,
  `/projects/${project}/settings/naming`,
  `/projects/${project}/settings/danger`,
  `/projects/${other.project}`,
  `/projects/${other.project}/settings/tokens`,
  '/projects',
  '/integrations',
  `/integrations/${integration}`,
  `/integrations/${integration}/deliveries`,
  '/admin/tokens',
  '/admin/segments',
  '/admin/context-fields',
  '/admin/context-fields/userId',
  '/admin/environments',
  '/admin/strategy-types',
  '/admin/feature-types',
  '/admin/tags',
  `/admin/users?user=${person.id}`,
  '/admin/groups',
  '/admin/roles',
  '/admin/service-accounts',
  '/admin/invitations',
  '/admin/edges',
  '/admin/instance',
];

type Control = { call: string; isEnabled: boolean };
type Console = {
  __TSR_ROUTER__: {
    options: {
      context: {
        queryClient: {
          setQueryData(key: readonly string[], data: unknown): void;
          getQueryData(key: readonly string[]): unknown;
        };
      };
    };
  };
};

/**
 * The controls of the open page that call an operation, for a user with the permissions. Without them, for the user who is logged in.
 * They are read after React has rendered.
 */
const controlsOf = (page: Page, as?: Me): Promise<Control[]> =>
  page.evaluate(
    async ([me, key]) => {
      const { queryClient } = (globalThis as unknown as Console).__TSR_ROUTER__.options.context;
      const read = () =>
        [...document.querySelectorAll<HTMLElement>('[data-call]')].map(element => ({
          call: element.dataset.call ?? '',
          isEnabled: element.getAttribute('aria-disabled') !== 'true',
        }));
      if (!me) return read();
      for (;;) {
        queryClient.setQueryData(key, me);
        const set = queryClient.getQueryData(key);
        for (let frame = 0; frame < 3; frame++) await new Promise(next => setTimeout(next, 5));
        const controls = read();
        // An event may have made the page read the permissions of the user who is logged in.
        if (queryClient.getQueryData(key) === set) return controls;
      }
    },
    [as, keys.me] as const,
  );

type Found = Control & { path: string };

/** The user opens the pages one after the other. */
async function visit(page: Page, world: World): Promise<Found[]> {
  const found: Found[] = [];
  for (const [index, path] of pagesOf(world).entries()) {
    await (index === 0 ? openPage : goTo)(page, path);
    for (const control of await controlsOf(page)) found.push({ path, ...control });
  }
  return found;
}

/** Shows each page to an admin, who can read everything, with the permissions of each of the users. */
async function show(page: Page, world: World, users: readonly Me[]): Promise<Found[][]> {
  const found: Found[][] = users.map(() => []);
  for (const [index, path] of pagesOf(world).entries()) {
    await (index === 0 ? openPage : goTo)(page, path);
    for (const [user, me] of users.entries())
      for (const control of await controlsOf(page, me)) found[user]?.push({ path, ...control });
  }
  return found;
}

/** The controls that are enabled although the server rejects what they call, or disabled although it accepts it. */
async function compareControls(send: Send, found: readonly Found[], world: World): Promise<string[]> {
  const wrong: string[] = [];
  const decided = new Map<string, boolean>();
  const decide = async (call: string): Promise<boolean> => {
    const [operation = '', project = '', environment = ''] = call.split(' ');
    const places = project === '' ? [world.own.project, world.other.project] : [project];
    for (const one of places)
      if (await accepts(send, operation, { project: one, ...(environment && { environment }) }, world))
        return true;
    return false;
  };
  for (const { path, call: named, isEnabled } of found) {
    const call = inProjectOf(path, named);
    const accepted = decided.get(call) ?? (await decide(call));
    decided.set(call, accepted);
    if (accepted !== isEnabled) wrong.push(`${path} ${call}: ${isEnabled ? 'enabled' : 'disabled'}`);
  }
  return wrong;
}

/** A control on a page of a project calls its operation in that project, even if the control does not name it. */
function inProjectOf(path: string, call: string): string {
  const project = /^\/projects\/([^/?]+)/.exec(path)?.[1];
  const hasProject = ROUTES.get(call)?.path.includes('{projectId}');
  return project && hasProject ? `${call} ${project}` : call;
}

/** The operation of a control, if the probe can decide about it. */
function operationOf({ call }: Found, { own, other }: World): string | undefined {
  const [operation = '', project = ''] = call.split(' ');
  if (BY_BODY.includes(operation)) return undefined;
  // Other tests have projects on this server too, in which the user has no role.
  return ['', own.project, other.project].includes(project) ? operation : undefined;
}

test(
  `${ROLES} random custom roles: exactly the controls that the server accepts are enabled (seed ${SEED})`,
  GENERATED,
  async ({ page, newPage, server, api, logInAs }) => {
    const random = generator(SEED);
    const world = await createWorld(api);
    await logIn(page, world.person);
    const send = await sendAs(page, server.url);
    const drawn: { roles: Roles; me: Me }[] = [];
    for (let role = 0; role < ROLES; role++) {
      const roles = drawRoles(world, random);
      await saveRoles(api, world, roles);
      drawn.push({ roles, me: (await (await send('get', '/api/admin/user')).json()) as Me });
    }

    const admin = await newPage();
    await logInAs({ rootRole: 'Admin' }, admin);
    const shown = await show(
      admin,
      world,
      drawn.map(({ me }) => me),
    );
    const wrong = new Set<string>();
    const seen = new Map<string, number>();
    for (const [role, { roles, me }] of drawn.entries()) {
      await saveRoles(api, world, roles);
      const found = [...(shown[role] ?? []), ...(role % VISIT_EVERY === 0 ? await visit(page, world) : [])];
      const decidable = found.filter(one => operationOf(one, world) !== undefined);
      for (const one of decidable) seen.set(one.call, (seen.get(one.call) ?? 0) + 1);
      for (const one of await compareControls(send, decidable, world)) wrong.add(one);
      for (const one of await compareOperations(send, me, world, random)) wrong.add(one);
    }

    expect([...wrong]).toEqual([]);
    // Otherwise the test would pass without checking anything.
    expect(seen.size).toBeGreaterThan(30);
  },
);
