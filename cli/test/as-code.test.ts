import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createApi, createProject } from '../../console/e2e/support/api.ts';
import { startLoadBalancer, startRestartableServer } from '../../console/e2e/support/server.ts';
import { api, json, onTerminal, run, runExpectingFailure, server, start, unique } from './support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'halyard-as-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(content: unknown): string {
  const path = join(folder, `${unique()}.yaml`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

type Plan = { plan: string; changes: { flag: string; does: string }[] };

const rollout = (percent: number) => [{ name: 'flexibleRollout', parameters: { rollout: String(percent) } }];

test('an applied or exported file needs no changes', async () => {
  const project = await createProject(api);
  const segment = `segment-${unique()}`;
  await api.send('POST', '/api/admin/segments', { name: segment, constraints: [] });
  const flag = `flag-${unique()}`;
  const strategy = {
    name: 'flexibleRollout',
    title: 'Testers',
    parameters: { rollout: 25, stickiness: 'userId', groupId: 'shared' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'], inverted: true }],
    segments: [segment],
    variants: [{ name: 'red' }, { name: 'blue', weightType: 'fix', weight: 200 }],
  };
  const environments = {
    production: { enabled: true, strategies: [strategy] },
    development: { enabled: false, variants: [{ name: 'one' }] },
  };
  const file = write({
    project,
    flags: {
      [flag]: { description: 'As code', tags: ['simple:bb', 'simple:aa'], stale: true, environments },
    },
  });

  const { plan, changes } = await json<Plan>(['flags', 'plan', '-f', file]);
  await json(['flags', 'apply', '-f', file, '--plan', plan, '-m', 'from Git']);

  expect(changes.map(change => change.does)).toEqual([
    'create',
    'update',
    'tag',
    'strategies',
    'enable',
    'variants',
  ]);
  expect(await json(['flags', 'plan', '-f', file])).toMatchObject({ changes: [] });
  expect(await json(['flags', 'show', flag])).toMatchObject({
    description: 'As code',
    stale: true,
    environments: expect.arrayContaining([expect.objectContaining({ name: 'production', enabled: true })]),
  });
  const { events } = await json<{ events: { comment: string }[] }>(['events', 'search', '--flag', flag]);
  expect(new Set(events.map(event => event.comment))).toEqual(new Set(['from Git']));
  const exportedFile = write((await run(['flags', 'export', '-p', project])).stdout);
  expect(await json(['flags', 'plan', '-f', exportedFile, '--prune'])).toMatchObject({ changes: [] });
});

test('plan finds manual changes and, with --prune, flags that are not in the file', async () => {
  const project = await createProject(api);
  const [listedFlag, unlistedFlag] = [`kept-${unique()}`, `other-${unique()}`];
  for (const name of [listedFlag, unlistedFlag]) await json(['flags', 'create', name, '-p', project]);
  const file = write({ project, flags: { [listedFlag]: { description: '' } } });

  expect((await run(['flags', 'plan', '-f', file, '--exit-code'])).code).toBe(0);
  await api.send('PUT', `/api/admin/projects/${project}/features/${listedFlag}`, { description: 'by hand' });
  const driftRun = await run(['flags', 'plan', '-f', file, '--exit-code']);
  const pruningPlan = await json<Plan>(['flags', 'plan', '-f', file, '--prune']);

  expect(driftRun.code).toBe(10);
  expect(JSON.parse(driftRun.stdout).changes).toEqual([
    { flag: listedFlag, does: 'update', from: { description: 'by hand' }, to: { description: '' } },
  ]);
  expect(pruningPlan.changes).toContainEqual({ flag: unlistedFlag, does: 'archive' });
});

test('a plan is rejected if the flags have changed since it was made', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  await json(['flags', 'create', flag, '-p', project]);
  const file = write({
    project,
    flags: {
      [flag]: {
        description: 'new',
        environments: { production: { enabled: true, strategies: rollout(50) } },
      },
    },
  });
  const { plan } = await json<Plan>(['flags', 'plan', '-f', file]);
  await api.send('PUT', `/api/admin/projects/${project}/features/${flag}`, { description: 'by hand' });

  expect(await runExpectingFailure(['flags', 'apply', '-f', file, '--plan', plan])).toMatchObject({
    exit: 5,
    code: 'PlanOutdated',
  });
  expect(await json(['flags', 'show', flag])).toMatchObject({ description: 'by hand' });
});

test('apply never overwrites a flag that somebody else changes while it runs', async () => {
  const loadBalancer = await startLoadBalancer({ url: server.url });
  const project = await createProject(api);
  const names = Array.from({ length: 3 }, (_, index) => `flag-${index}-${unique()}`);
  for (const name of names) await json(['flags', 'create', name, '-p', project]);
  const firstPath = `/api/admin/projects/${project}/features/${names[0]}`;
  const lastFlag = names[2] ?? '';
  const file = write({
    project,
    flags: Object.fromEntries(names.map(name => [name, { description: 'new', stale: true }])),
  });
  // The response to the first change is lost, so the command waits before it retries. In the meantime, somebody changes the last flag.
  loadBalancer.responsesToLose = 1;
  const applyRun = start(['flags', 'apply', '-f', file, '--yes'], {
    env: { HALYARD_SERVER: loadBalancer.url },
  });
  await expect.poll(async () => (await api.send<{ stale: boolean }>('GET', firstPath)).stale).toBe(true);
  await api.send('PUT', `/api/admin/projects/${project}/features/${lastFlag}`, { description: 'by hand' });
  const { code } = await applyRun.completion;

  // Both codes are correct, because the command may have made its change first.
  expect([0, 5]).toContain(code);
  expect(await json(['flags', 'show', lastFlag])).toMatchObject({ description: 'by hand' });
  await loadBalancer.close();
});

test('apply reaches the planned state even if the server restarts while it runs', async () => {
  const restartableServer = await startRestartableServer(inject('template'));
  const project = await createProject(createApi(restartableServer));
  const env = { HALYARD_SERVER: restartableServer.url, HALYARD_TOKEN: restartableServer.adminToken };
  const names = Array.from({ length: 12 }, (_, index) => `flag-${index}-${unique()}`);
  const environments = { production: { enabled: true, strategies: rollout(50) } };
  const file = write({
    project,
    flags: Object.fromEntries(names.map(name => [name, { description: 'new', environments }])),
  });

  const applyRun = start(['flags', 'apply', '-f', file, '--yes'], { env });
  await expect
    .poll(
      async () =>
        (await createApi(restartableServer).send<{ total: number }>('GET', '/api/admin/search/features'))
          .total,
    )
    .toBeGreaterThan(2);
  await restartableServer.kill();
  await restartableServer.restart();
  const { code, stderr } = await applyRun.completion;

  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(await json(['flags', 'plan', '-f', file], { env })).toMatchObject({ changes: [] });
  await restartableServer.stop();
});

test('plan exits with 2 and names the error in an invalid file', async () => {
  const project = await createProject(api);
  const production = (state: object) => ({ project, flags: { x: { environments: { production: state } } } });

  expect(await runExpectingFailure(['flags', 'plan', '-f', write('a: [')])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('is not valid YAML'),
  });
  expect(await runExpectingFailure(['flags', 'plan', '-f', write({ project })])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('needs the keys'),
  });
  expect(
    await runExpectingFailure(['flags', 'plan', '-f', write(production({ enbled: true }))]),
  ).toMatchObject({
    exit: 2,
    message: expect.stringContaining('unknown key "enbled"'),
  });
  expect(
    await runExpectingFailure(['flags', 'plan', '-f', write(production({ enabled: true, strategies: [] }))]),
  ).toMatchObject({ exit: 2, message: expect.stringContaining('no enabled strategy') });
  expect(
    await runExpectingFailure([
      'flags',
      'plan',
      '-f',
      write({ project, flags: { x: { environments: { moon: {} } } } }),
    ]),
  ).toMatchObject({ exit: 2, message: expect.stringContaining('no environment "moon"') });
});

test('on a terminal, apply shows the plan and asks the user to type the project', async () => {
  const project = await createProject(api);
  const flag = `flag-${unique()}`;
  const file = write({ project, flags: { [flag]: {} } });

  const { stdout, code } = await onTerminal(['flags', 'apply', '-f', file], {
    answers: [['to confirm', `${project}\r`]],
  });

  expect(stdout).toContain(`+ create ${flag}`);
  expect(stdout).toContain('Made 1 change');
  expect(code).toBe(0);
});
