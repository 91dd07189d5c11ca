import { Type } from 'typebox';
import type { Db } from '../db/database.ts';
import { nameExists, notFound } from '../errors.ts';
import type { App } from '../http/app.ts';
import { answer, Nothing, refusals } from '../http/schema.ts';
import { createContextField } from './create.ts';
import { removeContextField } from './remove.ts';
import {
  ContextField,
  ContextFieldList,
  ContextFieldName,
  ContextFieldUpdate,
  LegalValue,
  NewContextField,
  NewLegalValue,
} from './schema.ts';
import { findContextField, isNameTaken, listContextFields } from './store.ts';
import { changeContextField, removeLegalValue, setLegalValue } from './update.ts';

const tags = ['Context'];
const contextField = Type.String({ description: 'Name of the field', examples: ['country'] });
const params = Type.Object({ contextField });

export function contextRoutes(app: App, db: Db): void {
  for (const schema of [LegalValue, ContextField, ContextFieldList]) app.addSchema(schema);

  app.get(
    '/api/admin/context',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getContextFields',
        tags,
        summary: 'List context fields',
        description: 'All context fields, by sort order and name.',
        response: { 200: answer('The fields', ContextFieldList), ...refusals(401, 403) },
      },
    },
    async request => await listContextFields(db, request.actor),
  );

  app.get(
    '/api/admin/context/:contextField',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getContextField',
        tags,
        summary: 'Get a context field',
        description: 'One context field with its legal values.',
        params,
        response: { 200: answer('The field', ContextField), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const field = await findContextField(db, request.actor, request.params.contextField);
      if (!field) throw notFound(`Context field ${request.params.contextField}`);
      return field;
    },
  );

  app.post(
    '/api/admin/context',
    {
      config: { permission: ['CREATE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'createContextField',
        tags,
        summary: 'Create a context field',
        description:
          'Creates a field that constraints and stickiness can name. Events: context-field-created.',
        body: NewContextField,
        response: { 201: answer('The new field', ContextField), ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => reply.code(201).send(await createContextField(db, request.actor, request.body)),
  );

  app.post(
    '/api/admin/context/validate',
    {
      config: { permission: ['UPDATE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'validateContextFieldName',
        tags,
        summary: 'Check a name for a context field',
        description: 'Says whether a field of this name could be created just now. Changes nothing.',
        body: ContextFieldName,
        response: { 200: Nothing, ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      const { name } = request.body;
      if (await isNameTaken(db, name)) throw nameExists(`A context field with the name ${name}`);
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/context/:contextField',
    {
      config: { permission: ['UPDATE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'updateContextField',
        tags,
        summary: 'Update a context field',
        description:
          'Changes everything but the name. Left out, description and sort order stay, stickiness becomes false and legal values become none. Events: context-field-updated.',
        params,
        body: ContextFieldUpdate,
        response: { 200: answer('The field', ContextField), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await changeContextField(db, request.actor, request.params.contextField, request.body),
  );

  app.delete(
    '/api/admin/context/:contextField',
    {
      config: { permission: ['DELETE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'deleteContextField',
        tags,
        summary: 'Delete a context field',
        description: 'Deletes a field for good. Events: context-field-deleted.',
        params,
        response: { 200: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await removeContextField(db, request.actor, request.params.contextField);
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/context/:contextField/legal-values',
    {
      config: { permission: ['UPDATE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'setLegalValue',
        tags,
        summary: 'Add or replace a legal value',
        description:
          'Adds a legal value to the field, or replaces the description of one it has. Events: context-field-updated.',
        params,
        body: NewLegalValue,
        response: { 200: answer('The field', ContextField), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => await setLegalValue(db, request.actor, request.params.contextField, request.body),
  );

  app.delete(
    '/api/admin/context/:contextField/legal-values/:legalValue',
    {
      config: { permission: ['UPDATE_CONTEXT_FIELD'] },
      schema: {
        operationId: 'deleteLegalValue',
        tags,
        summary: 'Delete a legal value',
        description:
          'Takes a legal value from the field; one it does not have changes nothing. Events: context-field-updated.',
        params: Type.Object({
          contextField,
          legalValue: Type.String({ description: 'The value to delete', examples: ['NO'] }),
        }),
        response: { 200: answer('The field', ContextField), ...refusals(401, 403, 404) },
      },
    },
    async request => {
      const { contextField, legalValue } = request.params;
      return await removeLegalValue(db, request.actor, contextField, legalValue);
    },
  );
}
