import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { removeProject } from '../../flags/projects/archive.ts';
import { SYSTEM } from '../../platform/actor.ts';
import { change } from '../../record/change.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';
import { createContextField } from './create.ts';

const harness = useHarness();

const ALL = '/api/admin/context';
let count = 0;
const unique = (what: string) => `${what}-${++count}`;

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, token?: string, body?: unknown) =>
  call(harness.app, method, url, { ...(token === undefined ? {} : { token }), ...(body ? { body } : {}) });

/** A private project with an owner, and an editor who may change global fields but not read the project. */
async function makePrivateProject() {
  const project = await makeProject(harness.db, { mode: 'private' });
  const owner = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, owner, project.id, 'Owner');
  const editor = await makeUser(harness.db, 'Editor');
  return { id: project.id, owner, editor, at: `/api/admin/projects/${project.id}/context` };
}

const constraintOn = (contextName: string) => ({ contextName, operator: 'IN', values: ['a'] });

async function addStrategy(project: string, body: object) {
  const name = unique('feature');
  await ask('POST', `/api/admin/projects/${project}/features`, undefined, { name });
  const at = `/api/admin/projects/${project}/features/${name}/environments/production/strategies`;
  const response = await ask('POST', at, undefined, { name: 'default', ...body });
  return { feature: name, ...response };
}

const usesOf = async (name: string, token?: string) => {
  const field = (await ask('GET', `${ALL}/${name}`, token)).body;
  expect((await ask('GET', ALL, token)).body).toContainEqual(field);
  const { usedInFeatures, usedInProjects } = field;
  const { strategies } = (await ask('GET', `${ALL}/${name}/strategies`, token)).body;
  return { usedInFeatures, usedInProjects, strategies: strategies.length };
};

test('an owner creates, updates and deletes a field of a project, and the events belong to the project', async () => {
  const { at, owner, id } = await makePrivateProject();
  const name = unique('field');

  const created = await ask('POST', at, owner.token, { name, legalValues: [{ value: 'a' }] });
  const added = await ask('POST', `${at}/${name}/legal-values`, owner.token, { value: 'b' });
  const taken = await ask('DELETE', `${at}/${name}/legal-values/a`, owner.token);
  const updated = await ask('PUT', `${at}/${name}`, owner.token, { description: 'x', stickiness: true });
  const listed = await ask('GET', at, owner.token);
  const read = await ask('GET', `${at}/${name}`, owner.token);
  const deleted = await ask('DELETE', `${at}/${name}`, owner.token);

  expect(created).toMatchObject({ status: 201, body: { name, project: id, legalValues: [{ value: 'a' }] } });
  expect(added.body.legalValues).toEqual([{ value: 'a' }, { value: 'b' }]);
  expect(taken.body.legalValues).toEqual([{ value: 'b' }]);
  expect(updated.body).toMatchObject({ project: id, description: 'x', stickiness: true, legalValues: [] });
  expect(listed.body).toEqual([updated.body]);
  expect(read.body).toEqual(updated.body);
  expect(deleted.status).toBe(200);
  const { events } = (await ask('GET', `/api/admin/search/events?project=IS:${id}`, owner.token)).body;
  expect(events.slice(0, 5)).toMatchObject([
    { type: 'context-field-deleted', preData: { name, project: id } },
    { type: 'context-field-updated', preData: { legalValues: [{ value: 'b' }] } },
    { type: 'context-field-updated' },
    { type: 'context-field-updated' },
    { type: 'context-field-created', data: { name, project: id } },
  ]);
});

test('hides the fields of a project from users who may not read it', async () => {
  const { at, owner, editor } = await makePrivateProject();
  const name = unique('field');
  await ask('POST', at, owner.token, { name });

  const names = async (token?: string) =>
    (await ask('GET', ALL, token)).body.map((field: { name: string }) => field.name);
  expect(await names(owner.token)).toContain(name);
  expect(await names()).toContain(name);
  expect(await names(editor.token)).not.toContain(name);
  for (const url of [at, `${at}/${name}`, `${ALL}/${name}`])
    expect((await ask('GET', url, editor.token)).status).toBe(404);
  expect((await ask('PUT', `${ALL}/${name}`, editor.token, { description: 'x' })).status).toBe(404);
  expect((await ask('DELETE', `${ALL}/${name}`, editor.token)).status).toBe(404);
  expect((await ask('PUT', `${ALL}/${name}`, undefined, { description: 'x' })).status).toBe(200);
});

test('the routes of a project find only its own fields', async () => {
  const { at, owner } = await makePrivateProject();
  const other = await makePrivateProject();
  const name = unique('field');
  await ask('POST', other.at, other.owner.token, { name });

  const userId = (await ask('GET', `${ALL}/userId`)).body;

  expect((await ask('GET', at)).body).toEqual([]);
  for (const one of ['userId', name]) {
    expect((await ask('GET', `${at}/${one}`)).status).toBe(404);
    expect((await ask('PUT', `${at}/${one}`, owner.token, { description: 'x' })).status).toBe(404);
    expect((await ask('DELETE', `${at}/${one}`, owner.token)).status).toBe(404);
    expect((await ask('POST', `${at}/${one}/legal-values`, owner.token, { value: 'x' })).status).toBe(404);
    expect((await ask('DELETE', `${at}/${one}/legal-values/x`, owner.token)).status).toBe(404);
  }
  expect((await ask('GET', `${ALL}/userId`)).body).toEqual(userId);
});

test('a name is unique in the instance, including fields the caller may not read', async () => {
  const { at, owner, editor } = await makePrivateProject();
  const name = unique('field');
  await ask('POST', at, owner.token, { name });

  expect((await ask('POST', ALL, editor.token, { name })).status).toBe(409);
  expect((await ask('POST', `${ALL}/validate`, editor.token, { name })).status).toBe(409);
  expect((await ask('POST', `${at}/validate`, owner.token, { name })).status).toBe(409);
  expect((await ask('POST', `${at}/validate`, owner.token, { name: unique('field') })).status).toBe(200);
});

test('rejects constraints on a field of a different project', async () => {
  const { at, owner, id } = await makePrivateProject();
  const name = unique('field');
  await ask('POST', at, owner.token, { name });
  const constraints = [constraintOn('userId'), constraintOn(name)];

  const inside = await addStrategy(id, { constraints });
  const outside = await addStrategy('default', { constraints });
  const segment = await ask('POST', '/api/admin/segments', undefined, {
    name: unique('segment'),
    constraints,
  });
  const own = await ask('POST', '/api/admin/segments', undefined, {
    name: unique('segment'),
    constraints,
    project: id,
  });

  expect(inside.status).toBe(200);
  expect(own.status).toBe(201);
  for (const rejected of [outside, segment]) {
    expect(rejected).toMatchObject({
      status: 400,
      body: { details: [{ path: '/body/constraints/1/contextName' }] },
    });
  }
});

test('rejects a project field whose name other projects already use', async () => {
  const { at, owner, id } = await makePrivateProject();
  const [direct, bySegment, byDefault, mine] = ['field', 'field', 'field', 'field'].map(unique);
  await addStrategy('default', { constraints: [constraintOn(String(direct))] });
  await addStrategy(id, { constraints: [constraintOn(String(mine))] });
  await ask('POST', '/api/admin/segments', undefined, {
    name: unique('segment'),
    constraints: [constraintOn(String(bySegment))],
  });
  const elsewhere = await makeProject(harness.db);
  await ask(
    'POST',
    `/api/admin/projects/${elsewhere.id}/environments/production/default-strategy`,
    undefined,
    { name: 'default', constraints: [constraintOn(String(byDefault))] },
  );

  for (const name of [direct, bySegment, byDefault]) {
    const response = await ask('POST', at, owner.token, { name });
    expect(response).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  }
  const created = await ask('POST', at, owner.token, { name: mine });
  expect(created).toMatchObject({ status: 201, body: { usedInFeatures: 1, usedInProjects: 1 } });
});

test('counts and lists the strategies that use a field, in projects the caller may read', async () => {
  const { id, owner, editor } = await makePrivateProject();
  const name = unique('field');
  await ask('POST', ALL, undefined, { name });
  const segment = await ask('POST', '/api/admin/segments', undefined, {
    name: unique('segment'),
    constraints: [constraintOn(name)],
  });
  const constraints = [constraintOn('appName'), constraintOn(name)];
  const first = await addStrategy('default', { constraints });
  await ask(
    'POST',
    `/api/admin/projects/default/features/${first.feature}/environments/production/strategies`,
    undefined,
    { name: 'default', constraints, segments: [segment.body.id] },
  );
  await addStrategy('default', { segments: [segment.body.id] });
  await addStrategy('default', { constraints: [constraintOn('appName')] });
  const hidden = await addStrategy(id, { constraints });

  expect(await usesOf(name)).toEqual({ usedInFeatures: 3, usedInProjects: 2, strategies: 4 });
  expect(await usesOf(name, owner.token)).toEqual({ usedInFeatures: 3, usedInProjects: 2, strategies: 4 });
  expect(await usesOf(name, editor.token)).toEqual({ usedInFeatures: 2, usedInProjects: 1, strategies: 3 });
  const { strategies } = (await ask('GET', `${ALL}/${name}/strategies`)).body;
  expect(strategies).toContainEqual({
    id: hidden.body.id,
    featureName: hidden.feature,
    projectId: id,
    environment: 'production',
    strategyName: 'default',
  });
  expect((await ask('GET', `${ALL}/nobody-names-it/strategies`)).body).toEqual({ strategies: [] });
});

test('lists many fields with as many statements as few', async () => {
  const statements = async () => {
    const before = harness.statements.length;
    await ask('GET', ALL);
    return harness.statements.length - before;
  };
  const few = await statements();
  for (let n = 0; n < 5; n++) await ask('POST', ALL, undefined, { name: unique('field') });

  expect(await statements()).toBe(few);
});

test('finds the strategies of a field through an index', async () => {
  // PostgreSQL would scan a table this small instead of using the index.
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
  const name = unique('field');
  await ask('POST', ALL, undefined, { name, legalValues: [{ value: 'a' }] });
  const { feature } = await addStrategy('default', { constraints: [constraintOn(name)] });

  expect((await ask('DELETE', `${ALL}/${name}`)).status).toBe(200);

  const at = `/api/admin/projects/default/features/${feature}/environments/production/strategies`;
  expect((await ask('GET', at)).body).toMatchObject([{ constraints: [{ contextName: name }] }]);
});

test('deleting a project deletes its fields and records an event for each', async () => {
  const { at, owner, id } = await makePrivateProject();
  const name = unique('field');
  await ask('POST', at, owner.token, { name });

  await change(harness.db, SYSTEM, current => removeProject(current, id));

  expect((await ask('GET', `${ALL}/${name}`)).status).toBe(404);
  const { events } = (await ask('GET', `/api/admin/search/events?project=IS:${id}&limit=3`)).body;
  expect(events.map((event: { type: string }) => event.type)).toEqual([
    'project-deleted',
    'context-field-deleted',
    'context-field-created',
  ]);
});

test('rejects a field of a project that is deleted concurrently', async () => {
  const { id } = await makePrivateProject();
  const name = unique('field');
  let created: Promise<unknown> | undefined;

  await harness.db.transaction().execute(async tx => {
    await sql`delete from projects where id = ${id}`.execute(tx);
    created = change(harness.db, SYSTEM, current => createContextField(current, { name }, id)).catch(
      error => error,
    );
    await untilWaiting(harness.db);
  });

  expect(await created).toMatchObject({ constraint: 'context_fields_project_fkey' });
});

test('the validation of a name gives the same result as the creation', async () => {
  await makeProject(harness.db, { id: 'validating' });
  await makeProject(harness.db, { id: 'constraining' });
  const constrain = async (contextName: string) => {
    const name = `flag-of-${contextName}`;
    const features = '/api/admin/projects/constraining/features';
    await call(harness.app, 'POST', features, { body: { name } });
    await call(harness.app, 'POST', `${features}/${name}/environments/production/strategies`, {
      body: { name: 'default', constraints: [{ contextName, operator: 'IN', values: ['x'] }] },
    });
  };
  await constrain('undeclared');
  await call(harness.app, 'POST', '/api/admin/projects/constraining/context', { body: { name: 'declared' } });
  await constrain('declared');
  const results = async (path: string) => {
    const all = [];
    for (const name of ['undeclared', 'declared']) {
      const { status, body } = await call(harness.app, 'POST', `/api/admin/projects/validating/${path}`, {
        body: { name },
      });
      all.push([status, body.message]);
    }
    return all;
  };

  const validated = await results('context/validate');

  expect(validated).toEqual([
    [
      409,
      'Constraints outside project "validating" already use the name "undeclared". Create the context field for all projects.',
    ],
    [409, 'Context field "declared" already exists.'],
  ]);
  expect(await results('context')).toEqual(validated);
});
