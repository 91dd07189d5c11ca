import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { campaignSize, GENERATED, SEED } from '../../server/src/test/campaign.ts';
import { permissionsByOperation } from '../src/api/api.gen.ts';
import { can, EVERYWHERE, type Me, type OperationId } from '../src/api/can.ts';
import { keys } from '../src/api/keys.ts';
import { type Api, createPerson, unique } from './support/api.ts';
import { createFlagWithStrategy } from './support/flag.ts';
import { logIn } from './support/log-in.ts';
import { openPage, visitAndWait } from './support/open-page.ts';
import { test } from './support/test.ts';

const ROLES = campaignSize({ usual: 3, long: 200 });
/**
 * For one in this many roles, the user also opens every page. All roles are tested on pages that an admin opens once, which takes a
 * tenth of the time.
 */
const VISIT_EVERY = 20;
/** The number of random operations to send for each role, whether or not a page shows them. */
const PROBES = campaignSize({ usual: 60, long: 20 });
const ENVIRONMENTS = ['development', 'production'];

type Target = { project?: string; environment?: string };
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

/** Returns a random number generator that produces the same numbers for the same seed. */
function createGenerator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Creates two projects, and a user with an empty root role and an empty role in the first project. */
async function createWorld(api: Api) {
  const ownFlag = await createFlagWithStrategy(api);
  const otherFlag = await createFlagWithStrategy(api);
  await api.send('POST', `${ownFlag.base}/link`, { url: 'https://example.com/1', title: 'Ticket' });
  const { roles: rootRole } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `root ${unique()}`,
    type: 'root-custom',
    permissions: [],
  });
  const { roles: projectRole } = await api.send<{ roles: { id: number } }>('POST', '/api/admin/roles', {
    name: `project ${unique()}`,
    type: 'custom',
    permissions: [],
  });
  const person = await createPerson(api);
  await api.send('PUT', `/api/admin/user-admin/${person.id}`, { rootRole: rootRole.id });
  await api.send('PUT', `/api/admin/projects/${ownFlag.project}/users/${person.id}/roles`, {
    roles: [projectRole.id],
  });
  const { permissions } = await api.send<{ permissions: Permissions }>('GET', '/api/admin/permissions');
  const segment = await api.send<{ id: number }>('POST', '/api/admin/segments', {
    name: `segment-${unique()}`,
    project: ownFlag.project,
    constraints: [],
  });
  const { id: integration } = await api.send<{ id: number }>('POST', '/api/admin/addons', {
    provider: 'webhook',
    enabled: false,
    parameters: { url: 'https://example.com' },
    events: ['feature-created'],
  });
  return { ownFlag, otherFlag, rootRole, projectRole, person, permissions, segment: segment.id, integration };
}
type World = Awaited<ReturnType<typeof createWorld>>;

type Permission = { name: string; environment?: string };
type Roles = { root: Permission[]; project: Permission[] };

/** Draws permissions for the two roles at random. The density is random too, so that roles have few or many permissions. */
function drawRoles({ permissions }: World, random: () => number): Roles {
  const density = random();
  const draw = <T>(list: readonly T[]): T[] => list.filter(() => random() < density);
  return {
    root: draw(permissions.root.filter(({ name }) => name !== 'ADMIN')).map(({ name }) => ({ name })),
    project: [
      ...draw(permissions.project).map(({ name }) => ({ name })),
      ...permissions.environments
        .filter(({ name }) => ENVIRONMENTS.includes(name))
        .flatMap(({ name: environment, permissions: candidates }) =>
          draw(candidates).map(({ name }) => ({ name, environment })),
        ),
    ],
  };
}

async function saveRoles(api: Api, { rootRole, projectRole }: World, roles: Roles): Promise<void> {
  const save = (id: number, name: string, permissions: Permission[]) =>
    api.send('PUT', `/api/admin/roles/${id}`, { name: `${name} ${id}`, permissions });
  await save(rootRole.id, 'root', roles.root);
  await save(projectRole.id, 'project', roles.project);
}

/** Sends a request as the user who is logged in on the page. */
type Send = (method: string, path: string, headers?: Record<string, string>) => Promise<Response>;

async function createSender(page: Page, url: string): Promise<Send> {
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

/** The API operation for each segment operation in can.ts, whose permission depends on the segment's project. */
const PROJECT_SEGMENT_OPERATIONS: Record<string, string> = {
  updateProjectSegment: 'updateSegment',
  deleteProjectSegment: 'deleteSegment',
};

/**
 * Returns whether the server lets the user call the operation. Nothing changes, because the request has a comment that is too long,
 * which the server rejects only after it has checked the permission.
 */
async function serverAccepts(send: Send, operation: string, { project, environment }: Target, world: World) {
  const route = ROUTES.get(PROJECT_SEGMENT_OPERATIONS[operation] ?? operation);
  if (!route) throw new Error(`openapi.json has no operation ${operation}`);
  const { ownFlag, otherFlag } = world;
  const flag = project === otherFlag.project ? otherFlag : ownFlag;
  const parameters: Record<string, string> = {
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
    id: operation in PROJECT_SEGMENT_OPERATIONS ? String(world.segment) : '1',
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'none');
  const response = await send(route.method, path, { 'halyard-comment': 'x'.repeat(501) });
  await response.arrayBuffer();
  return response.status !== 403;
}

/** Operations whose permission depends on the project in the request body, which the probes do not send. */
const BODY_SCOPED_OPERATIONS: readonly string[] = ['createSegment'];
/** Operations without a project in the path, which require the permission for the whole instance. */
const INSTANCE_OPERATIONS: readonly string[] = ['deleteTag'];

/** Compares what the console would enable with what the server accepts, for random operations that require a permission. */
async function compareOperations(send: Send, me: Me, world: World, random: () => number): Promise<string[]> {
  const differences: string[] = [];
  const operations = Object.keys(permissionsByOperation).filter(
    name => !BODY_SCOPED_OPERATIONS.includes(name),
  ) as OperationId[];
  for (let probe = 0; probe < PROBES; probe++) {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const operation = pick(operations);
    const path = ROUTES.get(operation)?.path ?? '';
    const target: Target = {
      ...(/\{(projectId|featureName)\}/.test(path) && {
        project: pick([world.ownFlag.project, world.otherFlag.project]),
      }),
      ...(path.includes('/environments/{environment}') && { environment: pick(ENVIRONMENTS) }),
    };
    const isEnabled = can(
      me,
      operation,
      INSTANCE_OPERATIONS.includes(operation) ? { project: EVERYWHERE } : target,
    );
    if (isEnabled !== (await serverAccepts(send, operation, target, world)))
      differences.push(`${operation} ${JSON.stringify(target)}: ${isEnabled ? 'enabled' : 'disabled'}`);
  }
  return differences;
}

/** Lists the pages with controls. */
const listPages = ({
  ownFlag: { pagePath, project },
  otherFlag,
  segment,
  person,
  integration,
}: World): string[] => [
  `/projects/${project}`,
  `${pagePath}?environment=production`,
  `${pagePath}/dependencies`,
  `${pagePath}/settings`,
  `/projects/${project}/health`,
  `/projects/${project}/segments`,
  `/projects/${project}/segments/${segment}`,
  `/projects/${project}/settings`,
  `/projects/${project}/settings/environments`,
  `/projects/${project}/settings/access`,
  `/projects/${project}/settings/tokens`,
  `/projects/${project}/settings/naming`,
  `/projects/${project}/settings/danger`,
  `/projects/${otherFlag.project}`,
  `/projects/${otherFlag.project}/settings/tokens`,
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
 * Reads the controls of the open page that call an operation. With a `user`, the page first renders with that user's permissions
 * instead of the logged-in user's.
 */
const readControls = (page: Page, user?: Me): Promise<Control[]> =>
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
        const cachedMe = queryClient.getQueryData(key);
        for (let frame = 0; frame < 3; frame++) await new Promise(next => setTimeout(next, 5));
        const controls = read();
        // Retries if an event has made the page read the logged-in user's permissions again.
        if (queryClient.getQueryData(key) === cachedMe) return controls;
      }
    },
    [user, keys.me] as const,
  );

type FoundControl = Control & { path: string };

/** Opens each page as the user, and reads its controls. */
async function visitPages(page: Page, world: World): Promise<FoundControl[]> {
  const controls: FoundControl[] = [];
  for (const [index, path] of listPages(world).entries()) {
    await (index === 0 ? openPage : visitAndWait)(page, path);
    for (const control of await readControls(page)) controls.push({ path, ...control });
  }
  return controls;
}

/** Opens each page as an admin, who can read everything, and reads its controls with the permissions of each user. */
async function showPagesAs(page: Page, world: World, users: readonly Me[]): Promise<FoundControl[][]> {
  const controlsByUser: FoundControl[][] = users.map(() => []);
  for (const [index, path] of listPages(world).entries()) {
    await (index === 0 ? openPage : visitAndWait)(page, path);
    for (const [userIndex, me] of users.entries())
      for (const control of await readControls(page, me))
        controlsByUser[userIndex]?.push({ path, ...control });
  }
  return controlsByUser;
}

/** Finds controls that are enabled although the server rejects their call, or disabled although the server accepts it. */
async function compareControls(
  send: Send,
  controls: readonly FoundControl[],
  world: World,
): Promise<string[]> {
  const differences: string[] = [];
  const acceptedByCall = new Map<string, boolean>();
  const isAcceptedAnywhere = async (call: string): Promise<boolean> => {
    const [operation = '', project = '', environment = ''] = call.split(' ');
    const projects = project === '' ? [world.ownFlag.project, world.otherFlag.project] : [project];
    for (const candidate of projects)
      if (
        await serverAccepts(
          send,
          operation,
          { project: candidate, ...(environment && { environment }) },
          world,
        )
      )
        return true;
    return false;
  };
  for (const { path, call: controlCall, isEnabled } of controls) {
    const call = addProject(path, controlCall);
    const isAccepted = acceptedByCall.get(call) ?? (await isAcceptedAnywhere(call));
    acceptedByCall.set(call, isAccepted);
    if (isAccepted !== isEnabled) differences.push(`${path} ${call}: ${isEnabled ? 'enabled' : 'disabled'}`);
  }
  return differences;
}

/** Adds the page's project to a call without a project, because controls on a project page act in that project. */
function addProject(path: string, call: string): string {
  const project = /^\/projects\/([^/?]+)/.exec(path)?.[1];
  const hasProject = ROUTES.get(call)?.path.includes('{projectId}');
  return project && hasProject ? `${call} ${project}` : call;
}

/** Returns a control's operation, or undefined if a probe cannot tell whether the server accepts the operation. */
function findOperation({ call }: FoundControl, { ownFlag, otherFlag }: World): string | undefined {
  const [operation = '', project = ''] = call.split(' ');
  if (BODY_SCOPED_OPERATIONS.includes(operation)) return undefined;
  // Ignores the projects of other tests on this server, in which the user has no role.
  return ['', ownFlag.project, otherFlag.project].includes(project) ? operation : undefined;
}

test(
  `enables exactly the controls whose calls the server accepts, for ${ROLES} random custom roles (seed ${SEED})`,
  GENERATED,
  async ({ page, newPage, server, api, logInAs }) => {
    const random = createGenerator(SEED);
    const world = await createWorld(api);
    await logIn(page, world.person);
    const send = await createSender(page, server.url);
    const drawnRoles: { roles: Roles; me: Me }[] = [];
    for (let role = 0; role < ROLES; role++) {
      const roles = drawRoles(world, random);
      await saveRoles(api, world, roles);
      drawnRoles.push({ roles, me: (await (await send('get', '/api/admin/user')).json()) as Me });
    }

    const adminPage = await newPage();
    await logInAs({ rootRole: 'Admin' }, adminPage);
    const controlsByRole = await showPagesAs(
      adminPage,
      world,
      drawnRoles.map(({ me }) => me),
    );
    const differences = new Set<string>();
    const countByCall = new Map<string, number>();
    for (const [roleIndex, { roles, me }] of drawnRoles.entries()) {
      await saveRoles(api, world, roles);
      const controls = [
        ...(controlsByRole[roleIndex] ?? []),
        ...(roleIndex % VISIT_EVERY === 0 ? await visitPages(page, world) : []),
      ];
      const decidableControls = controls.filter(control => findOperation(control, world) !== undefined);
      for (const { call } of decidableControls) countByCall.set(call, (countByCall.get(call) ?? 0) + 1);
      for (const difference of await compareControls(send, decidableControls, world))
        differences.add(difference);
      for (const difference of await compareOperations(send, me, world, random)) differences.add(difference);
    }

    expect([...differences]).toEqual([]);
    // Without this, the test would pass if nothing was compared.
    expect(countByCall.size).toBeGreaterThan(30);
  },
);
