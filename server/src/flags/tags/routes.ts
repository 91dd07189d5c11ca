import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { nameExists, notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { changeVersion, sendVersion } from '../../record/versioned.ts';
import { completed, createTag, createTagType, tagViolations } from './create.ts';
import { featureTagRoutes } from './feature-routes.ts';
import { removeTag, removeTagType } from './remove.ts';
import {
  NewTag,
  NewTagType,
  OneTag,
  OneTagType,
  TagList,
  TagType,
  TagTypeList,
  TagTypeUpdate,
  ValidTagType,
} from './schema.ts';
import { findTag, findTagType, listTags, listTagTypes } from './store.ts';
import { changeTagType } from './update.ts';
import { VERSIONED_TAG_TYPE } from './version.ts';

const tags = ['Tags'];
const version = 1;

/** The routes of events register the schema Tag. */
export function tagRoutes(app: App, db: Db): void {
  for (const schema of [TagType, TagTypeList, OneTagType, ValidTagType, TagList, OneTag])
    app.addSchema(schema);
  installTagTypes(app, db);
  installTags(app, db);
  featureTagRoutes(app, db);
}

function installTagTypes(app: App, db: Db): void {
  const params = Type.Object({
    name: Type.String({ title: 'TagTypeName', description: 'Name of the tag type', examples: ['team'] }),
  });

  app.get(
    '/api/admin/tag-types',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getTagTypes',
        tags,
        summary: 'List tag types',
        description: 'Returns all tag types by name.',
        response: { 200: jsonResponse('The tag types', TagTypeList), ...errorResponses(401, 403) },
      },
    },
    async () => ({ version, tagTypes: await listTagTypes(db) }),
  );

  app.get(
    '/api/admin/tag-types/:name',
    {
      config: { etag: true, permission: 'NONE' },
      schema: {
        operationId: 'getTagType',
        tags,
        summary: 'Get a tag type',
        description: 'Returns one tag type.',
        params,
        response: { 200: jsonResponse('The tag type', OneTagType), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const tagType = await findTagType(db, request.params.name);
      if (!tagType) throw notFound(`Tag type "${request.params.name}"`);
      return sendVersion(request, reply, VERSIONED_TAG_TYPE, tagType, { version, tagType });
    },
  );

  app.post(
    '/api/admin/tag-types',
    {
      config: { permission: ['CREATE_TAG_TYPE'] },
      schema: {
        operationId: 'createTagType',
        tags,
        summary: 'Create a tag type',
        description: 'Creates a tag type. Requires CREATE_TAG_TYPE. Events: tag-type-created.',
        body: NewTagType,
        response: {
          201: jsonResponse('The new tag type', TagType),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await change(db, request.actor, current => createTagType(current, request.body))),
  );

  app.post(
    '/api/admin/tag-types/validate',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'validateTagType',
        tags,
        summary: 'Validate a tag type',
        description: 'Checks whether the tag type could be created. Changes nothing.',
        body: NewTagType,
        response: {
          200: jsonResponse('The tag type with its defaults', ValidTagType),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async request => {
      const { name } = request.body;
      if (await findTagType(db, name)) throw nameExists(`Tag type "${name}"`);
      return { valid: true, tagType: completed(request.body) };
    },
  );

  app.put(
    '/api/admin/tag-types/:name',
    {
      config: { ifMatch: true, permission: ['UPDATE_TAG_TYPE'] },
      schema: {
        operationId: 'updateTagType',
        tags,
        summary: 'Update a tag type',
        description:
          'Changes the given fields: description, icon, color. Requires UPDATE_TAG_TYPE. Events: tag-type-updated.',
        params,
        body: TagTypeUpdate,
        response: {
          200: jsonResponse('The tag type', TagType),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request =>
      await changeVersion(db, request, VERSIONED_TAG_TYPE, request.params.name, current =>
        changeTagType(current, request.params.name, request.body),
      ),
  );

  app.delete(
    '/api/admin/tag-types/:name',
    {
      config: { ifMatch: true, permission: ['DELETE_TAG_TYPE'] },
      schema: {
        operationId: 'deleteTagType',
        tags,
        summary: 'Delete a tag type',
        description:
          'Deletes a tag type with its tags, and removes the tags from all features, at most 1,000 in all. Requires DELETE_TAG_TYPE. Events: feature-untagged, tag-deleted, tag-type-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      await changeVersion(db, request, VERSIONED_TAG_TYPE, request.params.name, current =>
        removeTagType(current, request.params.name),
      );
      return reply.code(200).send();
    },
  );
}

function installTags(app: App, db: Db): void {
  const type = Type.String({ title: 'TypeOfTag', description: 'Name of the tag type', examples: ['simple'] });
  const value = Type.String({ title: 'TagValue', description: 'Value of the tag', examples: ['checkout'] });
  const params = Type.Object({ type, value });

  app.get(
    '/api/admin/tags',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getTags',
        tags,
        summary: 'List tags',
        description: 'Returns all tags by type and value.',
        response: { 200: jsonResponse('The tags', TagList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ version, tags: await listTags(db, request.actor) }),
  );

  app.get(
    '/api/admin/tags/:type',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getTagsOfType',
        tags,
        summary: 'List tags of a type',
        description: 'Returns the tags of one type by value. The list is empty if the type does not exist.',
        params: Type.Object({ type }),
        response: { 200: jsonResponse('The tags', TagList), ...errorResponses(401, 403) },
      },
    },
    async request => ({ version, tags: await listTags(db, request.actor, request.params.type) }),
  );

  app.get(
    '/api/admin/tags/:type/:value',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getTag',
        tags,
        summary: 'Get a tag',
        description: 'Returns one tag.',
        params,
        response: { 200: jsonResponse('The tag', OneTag), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const { type, value } = request.params;
      const tag = await findTag(db, request.actor, type, value);
      if (!tag) throw notFound(`Tag "${type}:${value}"`);
      return { version, tag };
    },
  );

  app.post(
    '/api/admin/tags',
    {
      config: { permission: 'NONE', checks: [({ body }) => tagViolations(db, body)], cost: COST.personal },
      schema: {
        operationId: 'createTag',
        tags,
        summary: 'Create a tag',
        description: 'Creates a tag of an existing type. Events: tag-created.',
        body: NewTag,
        response: {
          201: jsonResponse('The new tag', OneTag),
          ...errorResponses(400, 401, 403, 409, 413, 415),
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send({
        version,
        tag: await change(db, request.actor, current => createTag(current, request.body)),
      }),
  );

  app.delete(
    '/api/admin/tags/:type/:value',
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'deleteTag',
        tags,
        summary: 'Delete a tag',
        description:
          'Deletes a tag, and removes it from all features, at most 1,000. Requires UPDATE_FEATURE from a root role, because a tag belongs to no project. Events: feature-untagged, tag-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { type, value } = request.params;
      await change(db, request.actor, current => removeTag(current, type, value));
      return reply.code(200).send();
    },
  );
}
