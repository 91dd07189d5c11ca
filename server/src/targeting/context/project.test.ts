import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { removeProject } from '../../flags/projects/archive.ts';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { createContextField } from './create.ts';

const harness = useHarness();

const GLOBAL_FIELDS = '/api/admin/context';
let nameCount = 0;
const makeUniqueName = (prefix: string) => `${prefix}-${++nameCount}`;

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, token?: string, body?: unknown) =>
  call(harness.app, method, url, { ...(token === undefined ? {} : { token }), ...(body ? { body } : {}) });

/** Makes a private project with an owner, and an editor who may change global fields but cannot read the project. */
async function makePrivateProject() {
  const project = await makeProject(harness.db, { mode: 'private' });
  const owner = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, owner, project.id, 'Owner');
  const editor = await makeUser(harness.db, 'Editor');
  return { id: project.id, owner, editor, url: `/api/admin/projects/${project.id}/context` };
}

const constraintOn = (contextName: string) => ({ contextName, operator: 'IN', values: ['a'] });

async function addStrategy(project: string, body: object) {
  const name = makeUniqueName('feature');
  await send('POST', `/api/admin/projects/${project}/features`, undefined, { name });
  const url = `/api/admin/projects/${project}/features/${name}/environments/production/strategies`;
  const response = await send('POST', url, undefined, { name: 'default', ...body });
  return { feature: name, ...response };
}

const readUses = async (name: string, token?: string) => {
  const field = (await send('GET', `${GLOBAL_FIELDS}/${name}`, token)).body;
  expect((await send('GET', GLOBAL_FIELDS, token)).body).toContainEqual(field);
  const { usedInFeatures, usedInProjects } = field;
  const { strategies } = (await send('GET', `${GLOBAL_FIELDS}/${name}/strategies`, token)).body;
  return { usedInFeatures, usedInProjects, strategies: strategies.length };
};

test("records an owner's changes to a project field as events of the project", async () => {
  const { url, owner, id } = await makePrivateProject();
  const name = makeUniqueName('field');

  const creation = await send('POST', url, owner.token, { name, legalValues: [{ value: 'a' }] });
  const addition = await send('POST', `${url}/${name}/legal-values`, owner.token, { value: 'b' });
  const removal = await send('DELETE', `${url}/${name}/legal-values/a`, owner.token);
  const update = await send('PUT', `${url}/${name}`, owner.token, { description: 'x', stickiness: true });
  const list = await send('GET', url, owner.token);
  const field = await send('GET', `${url}/${name}`, owner.token);
  const deletion = await send('DELETE', `${url}/${name}`, owner.token);

  expect(creation).toMatchObject({ status: 201, body: { name, project: id, legalValues: [{ value: 'a' }] } });
  expect(addition.body.legalValues).toEqual([{ value: 'a' }, { value: 'b' }]);
  expect(removal.body.legalValues).toEqual([{ value: 'b' }]);
  expect(update.body).toMatchObject({ project: id, description: 'x', stickiness: true, legalValues: [] });
  expect(list.body).toEqual([update.body]);
  expect(field.body).toEqual(update.body);
  expect(deletion.status).toBe(200);
  const { events } = (await send('GET', `/api/admin/search/events?project=IS:${id}`, owner.token)).body;
  expect(events.slice(0, 5)).toMatchObject([
    { type: 'context-field-deleted', preData: { name, project: id } },
    { type: 'context-field-updated', preData: { legalValues: [{ value: 'b' }] } },
    { type: 'context-field-updated' },
    { type: 'context-field-updated' },
    { type: 'context-field-created', data: { name, project: id } },
  ]);
});

test('hides the fields of a project from users who cannot read it', async () => {
  const { url, owner, editor } = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', url, owner.token, { name });

  const listNames = async (token?: string) =>
    (await send('GET', GLOBAL_FIELDS, token)).body.map((field: { name: string }) => field.name);
  expect(await listNames(owner.token)).toContain(name);
  expect(await listNames()).toContain(name);
  expect(await listNames(editor.token)).not.toContain(name);
  for (const fieldUrl of [url, `${url}/${name}`, `${GLOBAL_FIELDS}/${name}`])
    expect((await send('GET', fieldUrl, editor.token)).status).toBe(404);
  expect((await send('PUT', `${GLOBAL_FIELDS}/${name}`, editor.token, { description: 'x' })).status).toBe(
    404,
  );
  expect((await send('DELETE', `${GLOBAL_FIELDS}/${name}`, editor.token)).status).toBe(404);
  expect((await send('PUT', `${GLOBAL_FIELDS}/${name}`, undefined, { description: 'x' })).status).toBe(200);
});

test("a project's routes find only its own fields", async () => {
  const { url, owner } = await makePrivateProject();
  const otherProject = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', otherProject.url, otherProject.owner.token, { name });

  const userId = (await send('GET', `${GLOBAL_FIELDS}/userId`)).body;

  expect((await send('GET', url)).body).toEqual([]);
  for (const fieldName of ['userId', name]) {
    expect((await send('GET', `${url}/${fieldName}`)).status).toBe(404);
    expect((await send('PUT', `${url}/${fieldName}`, owner.token, { description: 'x' })).status).toBe(404);
    expect((await send('DELETE', `${url}/${fieldName}`, owner.token)).status).toBe(404);
    expect((await send('POST', `${url}/${fieldName}/legal-values`, owner.token, { value: 'x' })).status).toBe(
      404,
    );
    expect((await send('DELETE', `${url}/${fieldName}/legal-values/x`, owner.token)).status).toBe(404);
  }
  expect((await send('GET', `${GLOBAL_FIELDS}/userId`)).body).toEqual(userId);
});

test('a name is unique in the instance, even among fields the caller cannot read', async () => {
  const { url, owner, editor } = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', url, owner.token, { name });

  expect((await send('POST', GLOBAL_FIELDS, editor.token, { name })).status).toBe(409);
  expect((await send('POST', `${GLOBAL_FIELDS}/validate`, editor.token, { name })).status).toBe(409);
  expect((await send('POST', `${url}/validate`, owner.token, { name })).status).toBe(409);
  expect((await send('POST', `${url}/validate`, owner.token, { name: makeUniqueName('field') })).status).toBe(
    200,
  );
});

test('rejects constraints on a field of a different project', async () => {
  const { url, owner, id } = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', url, owner.token, { name });
  const constraints = [constraintOn('userId'), constraintOn(name)];

  const projectStrategy = await addStrategy(id, { constraints });
  const otherStrategy = await addStrategy('default', { constraints });
  const globalSegment = await send('POST', '/api/admin/segments', undefined, {
    name: makeUniqueName('segment'),
    constraints,
  });
  const projectSegment = await send('POST', '/api/admin/segments', undefined, {
    name: makeUniqueName('segment'),
    constraints,
    project: id,
  });

  expect(projectStrategy.status).toBe(200);
  expect(projectSegment.status).toBe(201);
  for (const response of [otherStrategy, globalSegment]) {
    expect(response).toMatchObject({
      status: 400,
      body: { details: [{ path: '/body/constraints/1/contextName' }] },
    });
  }
});

test('rejects a project field whose name other projects already use', async () => {
  const { url, owner, id } = await makePrivateProject();
  const [usedByStrategy, usedBySegment, usedByDefaultStrategy, usedInProject] = [
    'field',
    'field',
    'field',
    'field',
  ].map(makeUniqueName);
  await addStrategy('default', { constraints: [constraintOn(String(usedByStrategy))] });
  await addStrategy(id, { constraints: [constraintOn(String(usedInProject))] });
  await send('POST', '/api/admin/segments', undefined, {
    name: makeUniqueName('segment'),
    constraints: [constraintOn(String(usedBySegment))],
  });
  const otherProject = await makeProject(harness.db);
  await send(
    'POST',
    `/api/admin/projects/${otherProject.id}/environments/production/default-strategy`,
    undefined,
    { name: 'default', constraints: [constraintOn(String(usedByDefaultStrategy))] },
  );

  for (const name of [usedByStrategy, usedBySegment, usedByDefaultStrategy]) {
    const response = await send('POST', url, owner.token, { name });
    expect(response).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  }
  const creation = await send('POST', url, owner.token, { name: usedInProject });
  expect(creation).toMatchObject({ status: 201, body: { usedInFeatures: 1, usedInProjects: 1 } });
});

test('counts and lists the strategies that use a field, in projects the caller may read', async () => {
  const { id, owner, editor } = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', GLOBAL_FIELDS, undefined, { name });
  const segment = await send('POST', '/api/admin/segments', undefined, {
    name: makeUniqueName('segment'),
    constraints: [constraintOn(name)],
  });
  const constraints = [constraintOn('appName'), constraintOn(name)];
  const firstStrategy = await addStrategy('default', { constraints });
  await send(
    'POST',
    `/api/admin/projects/default/features/${firstStrategy.feature}/environments/production/strategies`,
    undefined,
    { name: 'default', constraints, segments: [segment.body.id] },
  );
  await addStrategy('default', { segments: [segment.body.id] });
  await addStrategy('default', { constraints: [constraintOn('appName')] });
  const hiddenStrategy = await addStrategy(id, { constraints });

  expect(await readUses(name)).toEqual({ usedInFeatures: 3, usedInProjects: 2, strategies: 4 });
  expect(await readUses(name, owner.token)).toEqual({ usedInFeatures: 3, usedInProjects: 2, strategies: 4 });
  expect(await readUses(name, editor.token)).toEqual({ usedInFeatures: 2, usedInProjects: 1, strategies: 3 });
  const { strategies } = (await send('GET', `${GLOBAL_FIELDS}/${name}/strategies`)).body;
  expect(strategies).toContainEqual({
    id: hiddenStrategy.body.id,
    featureName: hiddenStrategy.feature,
    projectId: id,
    environment: 'production',
    strategyName: 'default',
  });
  expect((await send('GET', `${GLOBAL_FIELDS}/unused-name/strategies`)).body).toEqual({ strategies: [] });
});

test('listing many fields takes as many statements as listing a few', async () => {
  const countStatements = async () => {
    const statementsBefore = harness.statements.length;
    await send('GET', GLOBAL_FIELDS);
    return harness.statements.length - statementsBefore;
  };
  const expected = await countStatements();
  for (let n = 0; n < 5; n++) await send('POST', GLOBAL_FIELDS, undefined, { name: makeUniqueName('field') });

  expect(await countStatements()).toBe(expected);
});

test('finds the strategies of a field through an index', async () => {
  // Sequential scans are disabled, because PostgreSQL would scan such a small table instead of using the index.
  const plan = await harness.db.transaction().execute(async tx => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const statement = sql.raw(
      `explain select id from feature_strategies where constraints @> '[{"contextName": "userId"}]'`,
    );
    return (await statement.execute(tx)).rows;
  });
  expect(JSON.stringify(plan)).toContain('feature_strategies_constraints_idx');
});

test('deletes a field in use and keeps the constraints on it', async () => {
  const name = makeUniqueName('field');
  await send('POST', GLOBAL_FIELDS, undefined, { name, legalValues: [{ value: 'a' }] });
  const { feature } = await addStrategy('default', { constraints: [constraintOn(name)] });

  expect((await send('DELETE', `${GLOBAL_FIELDS}/${name}`)).status).toBe(200);

  const url = `/api/admin/projects/default/features/${feature}/environments/production/strategies`;
  expect((await send('GET', url)).body).toMatchObject([{ constraints: [{ contextName: name }] }]);
});

test('deletes the fields of a deleted project and records an event for each field', async () => {
  const { url, owner, id } = await makePrivateProject();
  const name = makeUniqueName('field');
  await send('POST', url, owner.token, { name });

  await change(harness.db, SYSTEM, current => removeProject(current, id));

  expect((await send('GET', `${GLOBAL_FIELDS}/${name}`)).status).toBe(404);
  const { events } = (await send('GET', `/api/admin/search/events?project=IS:${id}&limit=3`)).body;
  expect(events.map((event: { type: string }) => event.type)).toEqual([
    'project-deleted',
    'context-field-deleted',
    'context-field-created',
  ]);
});

test('rejects a field of a project that is deleted concurrently', async () => {
  const { id } = await makePrivateProject();
  const name = makeUniqueName('field');
  let creation: Promise<unknown> | undefined;

  await harness.db.transaction().execute(async tx => {
    await sql`delete from projects where id = ${id}`.execute(tx);
    creation = change(harness.db, SYSTEM, current => createContextField(current, { name }, id)).catch(
      error => error,
    );
    await waitForLockWaiters(harness.db);
  });

  expect(await creation).toMatchObject({ constraint: 'context_fields_project_fkey' });
});

test('validating a name gives the same result as creating a field', async () => {
  await makeProject(harness.db, { id: 'validating' });
  await makeProject(harness.db, { id: 'constraining' });
  const makeConstraint = async (contextName: string) => {
    const name = `flag-of-${contextName}`;
    const features = '/api/admin/projects/constraining/features';
    await call(harness.app, 'POST', features, { body: { name } });
    await call(harness.app, 'POST', `${features}/${name}/environments/production/strategies`, {
      body: { name: 'default', constraints: [{ contextName, operator: 'IN', values: ['x'] }] },
    });
  };
  await makeConstraint('undeclared');
  await call(harness.app, 'POST', '/api/admin/projects/constraining/context', { body: { name: 'declared' } });
  await makeConstraint('declared');
  const results = async (path: string) => {
    const statuses = [];
    for (const name of ['undeclared', 'declared']) {
      const { status, body } = await call(harness.app, 'POST', `/api/admin/projects/validating/${path}`, {
        body: { name },
      });
      statuses.push([status, body.message]);
    }
    return statuses;
  };

  const validation = await results('context/validate');

  expect(validation).toEqual([
    [
      409,
      'Constraints outside project "validating" already use the name "undeclared". Create the context field for all projects.',
    ],
    [409, 'Context field "declared" already exists.'],
  ]);
  expect(await results('context')).toEqual(validation);
});
