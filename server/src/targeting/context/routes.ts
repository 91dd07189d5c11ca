import { Type } from 'typebox';
import type { RootPermission, RoutePermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { StrategyUses } from '../strategy-uses/schema.ts';
import { createContextField } from './create.ts';
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
import {
  findContextField,
  isNameTaken,
  listContextFields,
  listStrategiesOfField,
  type Place,
} from './store.ts';
import { changeContextField, removeLegalValue, setLegalValue } from './update.ts';

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

/** Fields are addressed twice, in the same way: those of a project also under that project. */
type Home = {
  at: string;
  /** In operation ids, and in sentences. */
  kind: '' | 'Project';
  ofProject: '' | ' of a project';
  path: { projectId?: typeof projectId };
  permission: (root: RootPermission) => RoutePermission;
};

const ALL: Home = {
  at: '/api/admin/context',
  kind: '',
  ofProject: '',
  path: {},
  permission: root => [root],
};
const OF_PROJECT: Home = {
  at: '/api/admin/projects/:projectId/context',
  kind: 'Project',
  ofProject: ' of a project',
  path: { projectId },
  permission: root => [root, 'UPDATE_PROJECT_CONTEXT'],
};

type Path = { projectId?: string };

const placeOf = (request: { actor: Actor; params: Path }): Place => ({
  actor: request.actor,
  ...(request.params.projectId === undefined ? {} : { project: request.params.projectId }),
});

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
        summary: 'List the strategies that constrain on a context field',
        description:
          'Those that have a constraint on the field, or use a segment that has one; of projects the caller may read, by project, feature and environment. Empty for a name that nothing constrains on.',
        params: Type.Object({ contextField }),
        response: { 200: answer('The strategies', StrategyUses), ...refusals(401, 403) },
      },
    },
    async request => ({
      strategies: await listStrategiesOfField(db, request.actor, request.params.contextField),
    }),
  );
}

function fieldRoutes(app: App, db: Db, { at, kind, ofProject, path, permission }: Home): void {
  const params = Type.Unsafe<Path & { contextField: string }>(Type.Object({ ...path, contextField }));
  const home = Type.Unsafe<Path>(Type.Object(path));

  app.get(
    at,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: `get${kind}ContextFields`,
        tags,
        summary: `List context fields${ofProject}`,
        description: kind
          ? 'The context fields that belong to the project, by sort order and name.'
          : 'The context fields for all projects and those of projects the caller may read, by sort order and name.',
        params: home,
        response: { 200: answer('The fields', ContextFieldList), ...refusals(401, 403, 404) },
      },
    },
    async request => await listContextFields(db, placeOf(request)),
  );

  app.get(
    `${at}/:contextField`,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: `get${kind}ContextField`,
        tags,
        summary: `Get a context field${ofProject}`,
        description: 'One context field with its legal values.',
        params,
        response: { 200: answer('The field', ContextField), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const field = await findContextField(db, placeOf(request), request.params.contextField);
      if (!field) throw notFound(`Context field ${request.params.contextField}`);
      return field;
    },
  );

  app.post(
    at,
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
        description:
          'Creates a field that constraints and stickiness can name. Events: context-field-created.',
        params: home,
        body: NewContextField,
        response: {
          201: answer('The new field', ContextField),
          ...refusals(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { projectId: project = null } = request.params;
      return reply.code(201).send(await createContextField(db, request.actor, request.body, project));
    },
  );

  app.post(
    `${at}/validate`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `validate${kind}ContextFieldName`,
        tags,
        summary: `Check a name for a context field${ofProject}`,
        description: 'Says whether a field of this name could be created just now. Changes nothing.',
        params: home,
        body: ContextFieldNameCheck,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      if (await isNameTaken(db, name)) throw nameExists(`A context field with the name ${name}`);
      return reply.code(200).send();
    },
  );

  app.put(
    `${at}/:contextField`,
    {
      config: {
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
        description:
          'Changes everything but the name. Left out, description and sort order stay, stickiness becomes false and legal values become none. Events: context-field-updated.',
        params,
        body: ContextFieldUpdate,
        response: { 200: answer('The field', ContextField), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request =>
      await changeContextField(db, placeOf(request), request.params.contextField, request.body),
  );

  app.delete(
    `${at}/:contextField`,
    {
      config: { permission: permission('DELETE_CONTEXT_FIELD') },
      schema: {
        operationId: `delete${kind}ContextField`,
        tags,
        summary: `Delete a context field${ofProject}`,
        description:
          'Deletes a field for good, in use or not: constraints that name it go on as they are. Events: context-field-deleted.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeContextField(db, placeOf(request), request.params.contextField);
      return reply.code(200).send();
    },
  );

  app.post(
    `${at}/:contextField/legal-values`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `set${kind}LegalValue`,
        tags,
        summary: `Add or replace a legal value of a context field${ofProject}`,
        description:
          'Adds a legal value to the field, or replaces the description of one it has. Events: context-field-updated.',
        params,
        body: NewLegalValue,
        response: { 200: answer('The field', ContextField), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await setLegalValue(db, placeOf(request), request.params.contextField, request.body),
  );

  app.delete(
    `${at}/:contextField/legal-values/:legalValue`,
    {
      config: { permission: permission('UPDATE_CONTEXT_FIELD') },
      schema: {
        operationId: `delete${kind}LegalValue`,
        tags,
        summary: `Delete a legal value of a context field${ofProject}`,
        description:
          'Takes a legal value from the field; one it does not have changes nothing. Events: context-field-updated.',
        params: Type.Unsafe<Path & { contextField: string; legalValue: string }>(
          Type.Object({ ...path, contextField, legalValue }),
        ),
        response: { 200: answer('The field', ContextField), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const { contextField: name, legalValue: value } = request.params;
      return await removeLegalValue(db, placeOf(request), name, value);
    },
  );
}
