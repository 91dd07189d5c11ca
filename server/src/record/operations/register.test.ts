import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { jsonResponse, Named } from '@halyard/plane/platform/http/schema.ts';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findActor } from '../../access/guard.ts';
import { buildApp } from '../../app.ts';
import type { Reader } from '../../platform/db/database.ts';
import { projectParams } from '../../platform/http/params.ts';
import { getDryRunLimits, makeDryRuns } from '../../platform/http/protection/dry-runs.ts';
import { makeLongReads } from '../../platform/http/protection/long-reads.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { dereference } from '../../test/api-document.ts';
import { makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { type ApiDocument, type Operation, operationsIn } from '../../test/operations.ts';
import { formatOperationsPage } from '../../test/operations-page.ts';
import { call } from '../../test/request.ts';
import { strictSerializer } from '../../test/strict-serializer.ts';
import { requireUnchanged, type Versioned } from '../versioned.ts';
import { command, type OperationModule, query } from './definition.ts';
import { registerOperations } from './register.ts';
import { runStoredOperations } from './stored.ts';

const harness = useHarness();
const WIDGET = '/api/admin/widget?project=default';
const RENAME = '/api/admin/projects/default/widget';
let app: App;

const Widget = Named('TestWidget', Type.Object({ name: Type.String({ examples: ['first'] }) }));
type Widget = { name: string };

async function findWidget(db: Reader, project: string): Promise<Widget | undefined> {
  const { rows } = await sql<Widget>`select name from widgets where project = ${project}`.execute(db);
  return rows[0];
}

async function readWidget(db: Reader, project: string): Promise<Widget> {
  const widget = await findWidget(db, project);
  if (!widget) throw notFound(`Widget of project "${project}"`);
  return widget;
}

const VERSIONED_WIDGET: Versioned<string, Widget> = {
  formatName: project => `Widget of project "${project}"`,
  lock: async ({ tx }, project) => await findWidget(tx, project),
  derived: [],
};

const WIDGETS: OperationModule = {
  tag: 'Projects',
  schemas: [Widget],
  operations: [
    query({
      id: 'getWidget',
      route: 'GET /api/admin/widget',
      summary: 'Get a widget',
      description: 'Returns the widget of a project.',
      permission: ['CREATE_PROJECT', 'UPDATE_PROJECT'],
      query: Type.Object({ project: Type.String({ maxLength: 100, examples: ['default'] }) }),
      output: jsonResponse('The widget', Widget),
      rejects: [409],
      versioned: VERSIONED_WIDGET,
      read: ({ db }, { query: { project } }) => readWidget(db, project),
    }),
    command({
      id: 'renameWidget',
      route: 'PUT /api/admin/projects/:projectId/widget',
      summary: 'Rename a widget',
      description: 'Renames the widget of a project.',
      permission: ['UPDATE_PROJECT'],
      params: projectParams,
      body: Type.Object({ name: Type.String({ maxLength: 100 }) }, { examples: [{ name: 'second' }] }),
      output: jsonResponse('The widget', Widget),
      status: 202,
      events: ['project-updated', 'project-archived'],
      precondition: ({ params: { projectId } }) => requireUnchanged(VERSIONED_WIDGET, projectId),
      run: async ({ tx, record }, { params: { projectId }, body: { name } }) => {
        await sql`update widgets set name = ${name} where project = ${projectId}`.execute(tx);
        record({ type: 'project-updated', project: projectId, data: { name } });
        if (name === 'rejected') throw new ApiError('ConflictError', 'The name is rejected.');
      },
      respond: async (tx, _actor, _result, { params: { projectId }, body: { name } }) => {
        if (name === 'unreadable') throw new ApiError('ConflictError', 'The response is rejected.');
        return await readWidget(tx, projectId);
      },
    }),
  ],
};

type DocumentedOperation = {
  description: string;
  responses: object;
  'x-permission': unknown;
  parameters?: object[];
};

const findDocumented = (path: string, method: string): DocumentedOperation => {
  const { paths } = app.swagger() as unknown as {
    paths: Record<string, Record<string, DocumentedOperation>>;
  };
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`The document has no ${method} ${path}`);
  return operation;
};

const rename = (name: string, headers: Record<string, string> = {}) =>
  call(app, 'PUT', RENAME, { body: { name }, headers });

const listRecordedNames = async (): Promise<string[]> => {
  const { rows } = await sql<Widget>`
    select data ->> 'name' as name from events where type = 'project-updated' order by id`.execute(
    harness.db,
  );
  return rows.map(({ name }) => name);
};

const INSTANCE = {
  limits: APP_SETTINGS.limits,
  publicUrl: APP_SETTINGS.publicUrl,
  keyring: makeKeyring(APP_SETTINGS.secretKey, APP_SETTINGS.oldSecretKeys),
  dryRuns: makeDryRuns(getDryRunLimits(1)),
};

const findOperation = (id: string): Operation => {
  const found = operationsIn(
    dereference(app.swagger() as unknown as Record<string, unknown>) as ApiDocument,
  ).find(operation => operation.id === id);
  if (!found) throw new Error(`The document has no ${id}`);
  return found;
};

beforeAll(async () => {
  await sql`create table widgets (project text primary key, name text not null)`.execute(harness.db);
  app = await buildApp(harness.db, APP_SETTINGS, strictSerializer);
  registerOperations(app, harness.db, { ...INSTANCE, longReads: makeLongReads(harness.db) }, WIDGETS);
  await app.ready();
});
afterAll(async () => await app.close());

beforeEach(async () => {
  await sql`delete from widgets`.execute(harness.db);
  await sql`insert into widgets values ('default', 'first')`.execute(harness.db);
});

test('the OpenAPI document contains the query with its permissions and errors', () => {
  const { description, responses, 'x-permission': permission } = findDocumented('/api/admin/widget', 'get');

  expect(description).toBe('Returns the widget of a project. Requires CREATE_PROJECT or UPDATE_PROJECT.');
  expect(permission).toEqual(['CREATE_PROJECT', 'UPDATE_PROJECT']);
  expect(Object.keys(responses)).toEqual(['200', '304', '400', '401', '403', '409', '429', '503']);
});

test('the OpenAPI document contains the command with its permission, events and errors', () => {
  const {
    description,
    responses,
    'x-permission': permission,
  } = findDocumented('/api/admin/projects/{projectId}/widget', 'put');

  expect(description).toBe(
    'Renames the widget of a project. Requires UPDATE_PROJECT. Events: project-updated, project-archived.',
  );
  expect(permission).toEqual(['UPDATE_PROJECT']);
  expect(Object.keys(responses)).toEqual([
    '202',
    '400',
    '401',
    '403',
    '404',
    '409',
    '412',
    '413',
    '415',
    '422',
    '429',
    '503',
  ]);
});

test('tests that cover all operations, such as the access matrix, find the command with its permission and an example', () => {
  expect(findOperation('renameWidget')).toMatchObject({
    method: 'PUT',
    path: '/api/admin/projects/{projectId}/widget',
    permission: ['UPDATE_PROJECT'],
    isForSdks: false,
    body: { name: 'second' },
    events: ['project-updated', 'project-archived'],
  });
});

test('the reference lists the command', () => {
  expect(formatOperationsPage([findOperation('renameWidget')])).toContain(
    '| `renameWidget` | `PUT /api/admin/projects/:projectId/widget` | `UPDATE_PROJECT` | `project-updated`, `project-archived` |\n',
  );
});

test('a CLI can list the operations with their arguments', () => {
  const lines = ['getWidget', 'renameWidget'].map(findOperation).map(({ id, summary, parameters, body }) => {
    const listNames = (location: string) =>
      parameters.filter(parameter => parameter.in === location).map(({ name }) => name);
    const positionals = listNames('path').map(name => `<${name}>`);
    const options = [...listNames('query'), ...Object.keys(body ?? {})].map(name => `--${name}`);
    return `${[id, ...positionals, ...options].join(' ')}: ${summary}`;
  });

  expect(lines).toEqual([
    'getWidget --project: Get a widget',
    'renameWidget <projectId> --name: Rename a widget',
  ]);
});

test('the command can be stored as JSON and run later, if the caller still has the permission', async () => {
  const text = JSON.stringify([
    { operation: 'renameWidget', input: { params: { projectId: 'default' }, body: { name: 'later' } } },
  ]);
  const run = async (rootRole: 'Admin' | 'Viewer') => {
    const { id } = await makeUser(harness.db, rootRole);
    const found = await findActor(harness.db, id);
    if (!found) throw new Error('The user was just created');
    const instance = { ...INSTANCE, longReads: makeLongReads(harness.db) };
    return await runStoredOperations(app, harness.db, instance, found.actor, JSON.parse(text));
  };

  await expect(run('Viewer')).rejects.toMatchObject({ name: 'NoAccessError' });
  expect(await findWidget(harness.db, 'default')).toEqual({ name: 'first' });
  expect(await run('Admin')).toEqual([{ name: 'later' }]);
  expect(await findWidget(harness.db, 'default')).toEqual({ name: 'later' });
});

test('the query and the command require their permissions', async () => {
  const { token } = await makeUser(harness.db, 'Viewer');
  const body = { name: 'second' };

  expect((await call(app, 'GET', WIDGET, { token })).status).toBe(403);
  expect((await call(app, 'PUT', RENAME, { token, body })).status).toBe(403);
  expect(await findWidget(harness.db, 'default')).toEqual({ name: 'first' });
});

test('a query responds with its output and the ETag', async () => {
  const read = await call(app, 'GET', WIDGET);

  expect(read).toMatchObject({ status: 200, body: { name: 'first' } });
  const notModified = await call(app, 'GET', WIDGET, {
    headers: { 'if-none-match': String(read.headers.etag) },
  });
  expect(notModified.status).toBe(304);
});

test('a command runs only if If-Match has the current ETag', async () => {
  const etag = String((await call(app, 'GET', WIDGET)).headers.etag);

  expect(await rename('second', { 'if-match': etag })).toMatchObject({
    status: 202,
    body: { name: 'second' },
  });
  expect(await rename('third', { 'if-match': etag })).toMatchObject({
    status: 412,
    body: { message: expect.stringMatching(/^Widget of project "default" has changed/) },
  });
  expect(await findWidget(harness.db, 'default')).toEqual({ name: 'second' });
});

test('a command and its event are written in one transaction', async () => {
  const namesBefore = await listRecordedNames();

  await rename('second');

  expect(await listRecordedNames()).toEqual([...namesBefore, 'second']);
  const { rows } = await sql<{ isSame: boolean }>`
    select widgets.xmin = recorded.xmin as "isSame"
    from widgets, (select xmin from events where type = 'project-updated' order by id desc limit 1) as recorded`.execute(
    harness.db,
  );
  expect(rows).toEqual([{ isSame: true }]);
});

test.each(['rejected', 'unreadable'])(
  'a command that fails leaves neither its changes nor its event: %s',
  async name => {
    const namesBefore = await listRecordedNames();

    expect((await rename(name)).status).toBe(409);

    expect(await findWidget(harness.db, 'default')).toEqual({ name: 'first' });
    expect(await listRecordedNames()).toEqual(namesBefore);
  },
);
