import { Type } from 'typebox';
import type { Permission, RootPermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { StrategyUses } from '../strategy-uses/schema.ts';
import { createContextField, rejectContextName } from './create.ts';
import { checkLegalValues } from './legal-values.ts';
import { removeContextField } from './remove.ts';
import {
  ContextField,
  ContextFieldList,
  ContextFieldNameCheck,
  ContextFieldUpdate,
  LegalValue,
  NewContextField,
  NewLegalValue,
} from './schema.ts';
import { type FieldScope, findContextField, listContextFields, listStrategiesOfField } from './store.ts';
import { changeContextField, removeLegalValue, setLegalValue } from './update.ts';
import { VERSIONED_CONTEXT_FIELD } from './version.ts';

const tags = ['Context'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const contextField = Type.String({
  title: 'ContextFieldName',
  description: 'Name of the field',
  examples: ['country'],
});
const legalValue = Type.String({
  title: 'LegalValueText',
  description: 'The value to delete',
  examples: ['NO'],
});

/** Fields have two sets of routes: one for all fields, and the same routes under a project for its own fields. */
type Root = {
  url: string;
  /** Part of operation ids. */
  kind: '' | 'Project';
  /** Part of summaries. */
  ofProject: '' | ' of a project';
  path: { projectId?: typeof projectId };
  permission: (root: RootPermission) => [Permission, ...Permission[]];
};

const ALL: Root = {
  url: '/api/admin/context',
  kind: '',
  ofProject: '',
  path: {},
  permission: root => [root],
};
const OF_PROJECT: Root = {
  url: '/api/admin/projects/:projectId/context',
  kind: 'Project',
  ofProject: ' of a project',
  path: { projectId },
  permission: root => [root, 'UPDATE_PROJECT_CONTEXT'],
};

type Path = { projectId?: string };

const scopeOf = ({ actor, params }: { actor: Actor; params: Path }): FieldScope => ({
  actor,
  project: params.projectId,
});

/** Reads the response to a change of the field. */
const respondWith =
  (actor: Actor, name: string) =>
  async (tx: Reader): Promise<ContextField> => {
    const field = await findContextField(tx, { actor, project: undefined }, name);
    if (!field) throw new Error(`Context field ${name} disappeared in the transaction that wrote it`);
    return field;
  };

export function contextRoutes(app: App, db: Db): void {
  for (const schema of [LegalValue, ContextField, ContextFieldList]) app.addSchema(schema);
  fieldRoutes(app, db, ALL);
  fieldRoutes(app, db, OF_PROJECT);

  app.get(
    '/api/admin/context/:contextField/strategies',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getStrategiesOfContextField',
        tags,
        summary: 'List the strategies that use a context field',
        description:
          'Returns the strategies with a constraint on the field, in the strategy or in one of its segments, ordered by project, feature and environment. Returns only strategies of projects the caller may read. The list is empty for an unknown field.',
        params: Type.Object({ contextField }),
        response: { 200: jsonResponse('The strategies', StrategyUses), ...errorResponses(401, 403) },
      },
    },
    async request => ({
      strategies: await listStrategiesOfField(db, request.actor, request.params.contextField),
    }),
  );
}

function fieldRoutes(app: App, db: Db, { url, kind, ofProject, path, permission }: Root): void {
  const params = Type.Unsafe<Path & { contextField: string }>(Type.Object({ ...path, contextField }));
  const required = (root: RootPermission): string => permission(root).join(' or ');
  const rootParams = Type.Unsafe<Path>(Type.Object(path));

  app.get(
    url,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: `get${kind}ContextFields`,
        tags,
        summary: `List context fields${ofProject}`,
        description: kind
          ? 'Returns the context fields that belong to the project, by sort order and name.'
          : 'Returns the global context fields and those of projects the caller may read, by sort order and name.',
        params: rootParams,
        response: { 200: jsonResponse('The fields', ContextFieldList), ...errorResponses(401, 403, 404) },
      },
    },
    async request => await listContextFields(db, scopeOf(request)),
  );

  app.get(
    `${url}/:contextField`,
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: `get${kind}ContextField`,
        tags,
        summary: `Get a context field${ofProject}`,
        description: 'Returns one context field with its legal values.',
        params,
        response: { 200: jsonResponse('The field', ContextField), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const field = await findContextField(db, scopeOf(request), request.params.contextField);
      if (!field) throw notFound(`Context field "${request.params.contextField}"`);
      return sendVersion(request, reply, VERSIONED_CONTEXT_FIELD, field);
    },
  );

  app.post(
    url,
    {
      config: {
        permission: permission('CREATE_CONTEXT_FIELD'),
        checks: [
          ({ body }) => {
            checkLegalValues(body.legalValues ?? []);
          },
        ],
      },
      schema: {
        operationId: `create${kind}ContextField`,
        tags,
        summary: `Create a context field${ofProject}`,
        description: `Creates a field that constraints and stickiness can use. Requires ${required('CREATE_CONTEXT_FIELD')}. Events: context-field-created.`,
        params: rootParams,
        body: NewContextField,
        response: {
          201: jsonResponse('The new field', ContextField),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { projectId: project = null } = request.params;
      const created = await change(
        db,
        request.actor,
        current => createContextField(current, request.body, project),
        respondWith(request.actor, request.body.name),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    `${url}/validate`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `validate${kind}ContextFieldName`,
        tags,
        summary: `Validate the name of a context field${ofProject}`,
        description: `Checks whether a context field with this name could be created now. Requires ${required('UPDATE_CONTEXT_FIELD')}. It changes nothing.`,
        params: rootParams,
        body: ContextFieldNameCheck,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      await rejectContextName(db, request.body.name, scopeOf(request).project ?? null);
      return reply.code(200).send();
    },
  );

  app.put(
    `${url}/:contextField`,
    {
      config: {
        ifMatch: true,
        permission: permission('UPDATE_CONTEXT_FIELD'),
        checks: [
          ({ body }) => {
            checkLegalValues(body.legalValues ?? []);
          },
        ],
      },
      schema: {
        operationId: `update${kind}ContextField`,
        tags,
        summary: `Update a context field${ofProject}`,
        description: `Changes every field except the name. An omitted description or sort order keeps its value. An omitted stickiness becomes false, and omitted legal values become empty. Requires ${required('UPDATE_CONTEXT_FIELD')}. Events: context-field-updated.`,
        params,
        body: ContextFieldUpdate,
        response: {
          200: jsonResponse('The field', ContextField),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, contextField: name } = request.params;
      return await changeVersion(
        db,
        request,
        VERSIONED_CONTEXT_FIELD,
        { name, project },
        current => changeContextField(current, project, name, request.body),
        respondWith(request.actor, name),
      );
    },
  );

  app.delete(
    `${url}/:contextField`,
    {
      config: { ifMatch: true, permission: permission('DELETE_CONTEXT_FIELD') },
      schema: {
        operationId: `delete${kind}ContextField`,
        tags,
        summary: `Delete a context field${ofProject}`,
        description: `Permanently deletes a field, even if constraints use it. Those constraints do not change. Requires ${required('DELETE_CONTEXT_FIELD')}. Events: context-field-deleted.`,
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, contextField: name } = request.params;
      await changeVersion(db, request, VERSIONED_CONTEXT_FIELD, { name, project }, current =>
        removeContextField(current, project, name),
      );
      return reply.code(200).send();
    },
  );

  app.post(
    `${url}/:contextField/legal-values`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `set${kind}LegalValue`,
        tags,
        summary: `Add or replace a legal value of a context field${ofProject}`,
        description: `Adds a legal value to the field, or replaces the description of an existing one. Requires ${required('UPDATE_CONTEXT_FIELD')}. Events: context-field-updated.`,
        params,
        body: NewLegalValue,
        response: {
          200: jsonResponse('The field', ContextField),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, contextField: name } = request.params;
      return await change(
        db,
        request.actor,
        current => setLegalValue(current, project, name, request.body),
        respondWith(request.actor, name),
      );
    },
  );

  app.delete(
    `${url}/:contextField/legal-values/:legalValue`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `delete${kind}LegalValue`,
        tags,
        summary: `Delete a legal value of a context field${ofProject}`,
        description: `Deletes a legal value of the field. Deleting one that does not exist changes nothing. Requires ${required('UPDATE_CONTEXT_FIELD')}. Events: context-field-updated.`,
        params: Type.Unsafe<Path & { contextField: string; legalValue: string }>(
          Type.Object({ ...path, contextField, legalValue }),
        ),
        response: { 200: jsonResponse('The field', ContextField), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const { projectId: project, contextField: name, legalValue: value } = request.params;
      return await change(
        db,
        request.actor,
        current => removeLegalValue(current, project, name, value),
        respondWith(request.actor, name),
      );
    },
  );
}
