import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { Permission, RootPermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { projectId } from '../../platform/http/params.ts';
import { command, type Operation, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { StrategyUses } from '../strategy-uses/schema.ts';
import { createContextField, rejectUnavailableName } from './create.ts';
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
import { findContextField, listContextFields, listStrategiesOfField } from './store.ts';
import { changeContextField, removeLegalValue, setLegalValue } from './update.ts';
import { VERSIONED_CONTEXT_FIELD } from './version.ts';

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

/** Fields have two sets of operations: one set for all fields, and the same operations under a project for the project's fields. */
type FieldSet = {
  url: `/${string}`;
  /** The part of operation ids that differs between the two sets. */
  kind: '' | 'Project';
  /** The part of summaries that differs between the two sets. */
  ofProject: '' | ' of a project';
  path: { projectId?: typeof projectId };
  permission: (root: RootPermission) => [Permission, ...Permission[]];
};

const ALL_FIELDS: FieldSet = {
  url: '/api/admin/context',
  kind: '',
  ofProject: '',
  path: {},
  permission: root => [root],
};
const PROJECT_FIELDS: FieldSet = {
  url: '/api/admin/projects/:projectId/context',
  kind: 'Project',
  ofProject: ' of a project',
  path: { projectId },
  permission: root => [root, 'UPDATE_PROJECT_CONTEXT'],
};

type Path = { projectId?: string };

/** Reads the field for the response to a change. */
async function readChangedField(tx: Reader, actor: Actor, name: string): Promise<ContextField> {
  const field = await findContextField(tx, { actor, project: undefined }, name);
  if (!field) throw new Error(`Context field ${name} disappeared in the transaction that wrote it`);
  return field;
}

export const CONTEXT: OperationModule = {
  tag: 'Context',
  schemas: [LegalValue, ContextField, ContextFieldList],
  operations: [
    ...buildFieldOperations(ALL_FIELDS),
    ...buildFieldOperations(PROJECT_FIELDS),
    query({
      id: 'getStrategiesOfContextField',
      route: 'GET /api/admin/context/:contextField/strategies',
      summary: 'List the strategies that use a context field',
      description:
        'Returns the strategies with a constraint on the field, in the strategy or in one of its segments, ordered by project, feature and environment. Returns only strategies of projects the caller may read. The list is empty for an unknown field.',
      permission: 'NONE',
      params: Type.Object({ contextField }),
      output: jsonResponse('The strategies', StrategyUses),
      read: async ({ db, actor }, { params }) => ({
        strategies: await listStrategiesOfField(db, actor, params.contextField),
      }),
    }),
  ],
};

function buildFieldOperations({ url, kind, ofProject, path, permission }: FieldSet): Operation[] {
  const rootParams = Type.Unsafe<Path>(Type.Object(path));
  const params = Type.Unsafe<Path & { contextField: string }>(Type.Object({ ...path, contextField }));
  return [
    query({
      id: `get${kind}ContextFields`,
      route: `GET ${url}`,
      summary: `List context fields${ofProject}`,
      description: kind
        ? 'Returns the context fields that belong to the project, by sort order and name.'
        : 'Returns the global context fields and those of projects the caller may read, by sort order and name.',
      permission: 'NONE',
      params: rootParams,
      output: jsonResponse('The fields', ContextFieldList),
      read: ({ db, actor }, { params: { projectId: project } }) => listContextFields(db, { actor, project }),
    }),
    query({
      id: `get${kind}ContextField`,
      route: `GET ${url}/:contextField`,
      summary: `Get a context field${ofProject}`,
      description: 'Returns one context field with its legal values.',
      permission: 'NONE',
      params,
      output: jsonResponse('The field', ContextField),
      versioned: VERSIONED_CONTEXT_FIELD,
      read: async ({ db, actor }, { params: { projectId: project, contextField: name } }) => {
        const field = await findContextField(db, { actor, project }, name);
        if (!field) throw notFound(`Context field "${name}"`);
        return field;
      },
    }),
    command({
      id: `create${kind}ContextField`,
      route: `POST ${url}`,
      summary: `Create a context field${ofProject}`,
      description: 'Creates a field that constraints and stickiness can use.',
      permission: permission('CREATE_CONTEXT_FIELD'),
      params: rootParams,
      body: NewContextField,
      output: jsonResponse('The new field', ContextField),
      status: 201,
      rejects: [409],
      checks: [({ body }) => void checkLegalValues(body.legalValues ?? [])],
      events: ['context-field-created'],
      run: (current, { params: { projectId: project = null }, body }) =>
        createContextField(current, body, project),
      respond: (tx, actor, _, { body }) => readChangedField(tx, actor, body.name),
    }),
    query({
      id: `validate${kind}ContextFieldName`,
      route: `POST ${url}/validate`,
      summary: `Validate the name of a context field${ofProject}`,
      description: 'Checks whether a context field with this name could be created now. It changes nothing.',
      permission: permission('UPDATE_CONTEXT_FIELD'),
      params: rootParams,
      body: ContextFieldNameCheck,
      rejects: [409],
      read: ({ db }, { params: { projectId: project = null }, body }) =>
        rejectUnavailableName(db, body.name, project),
    }),
    command({
      id: `update${kind}ContextField`,
      route: `PUT ${url}/:contextField`,
      summary: `Update a context field${ofProject}`,
      description:
        'Changes every field except the name. An omitted description or sort order keeps its value. An omitted stickiness becomes false, and omitted legal values become empty.',
      permission: permission('UPDATE_CONTEXT_FIELD'),
      params,
      body: ContextFieldUpdate,
      output: jsonResponse('The field', ContextField),
      checks: [({ body }) => void checkLegalValues(body.legalValues ?? [])],
      events: ['context-field-updated'],
      precondition: ({ params: { projectId: project, contextField: name } }) =>
        requireUnchanged(VERSIONED_CONTEXT_FIELD, { name, project }),
      run: (current, { params: { projectId: project, contextField: name }, body }) =>
        changeContextField(current, project, name, body),
      respond: (tx, actor, _, { params }) => readChangedField(tx, actor, params.contextField),
    }),
    command({
      id: `delete${kind}ContextField`,
      route: `DELETE ${url}/:contextField`,
      summary: `Delete a context field${ofProject}`,
      description:
        'Permanently deletes a field, even if constraints use it. Those constraints do not change.',
      permission: permission('DELETE_CONTEXT_FIELD'),
      params,
      events: ['context-field-deleted'],
      precondition: ({ params: { projectId: project, contextField: name } }) =>
        requireUnchanged(VERSIONED_CONTEXT_FIELD, { name, project }),
      run: (current, { params: { projectId: project, contextField: name } }) =>
        removeContextField(current, project, name),
    }),
    command({
      id: `set${kind}LegalValue`,
      route: `POST ${url}/:contextField/legal-values`,
      summary: `Add or replace a legal value of a context field${ofProject}`,
      description: 'Adds a legal value to the field, or replaces the description of an existing one.',
      permission: permission('UPDATE_CONTEXT_FIELD'),
      params,
      body: NewLegalValue,
      output: jsonResponse('The field', ContextField),
      events: ['context-field-updated'],
      run: (current, { params: { projectId: project, contextField: name }, body }) =>
        setLegalValue(current, project, name, body),
      respond: (tx, actor, _, { params }) => readChangedField(tx, actor, params.contextField),
    }),
    command({
      id: `delete${kind}LegalValue`,
      route: `DELETE ${url}/:contextField/legal-values/:legalValue`,
      summary: `Delete a legal value of a context field${ofProject}`,
      description: 'Deletes a legal value of the field. Deleting one that does not exist changes nothing.',
      permission: permission('UPDATE_CONTEXT_FIELD'),
      params: Type.Unsafe<Path & { contextField: string; legalValue: string }>(
        Type.Object({ ...path, contextField, legalValue }),
      ),
      output: jsonResponse('The field', ContextField),
      events: ['context-field-updated'],
      run: (current, { params: { projectId: project, contextField: name, legalValue: value } }) =>
        removeLegalValue(current, project, name, value),
      respond: (tx, actor, _, { params }) => readChangedField(tx, actor, params.contextField),
    }),
  ];
}
