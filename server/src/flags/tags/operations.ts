import { nameExists, notFound } from '@halyard/plane/platform/errors.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { completeTagType, createTag, createTagType, findTagViolations } from './create.ts';
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

const version = 1;
const tagTypeParams = Type.Object({
  name: Type.String({ title: 'TagTypeName', description: 'Name of the tag type', examples: ['team'] }),
});
const type = Type.String({ title: 'TypeOfTag', description: 'Name of the tag type', examples: ['simple'] });
const value = Type.String({ title: 'TagValue', description: 'Value of the tag', examples: ['checkout'] });
const tagParams = Type.Object({ type, value });

/** The `Tag` schema is registered with the event routes. */
export const TAGS: OperationModule = {
  tag: 'Tags',
  schemas: [TagType, TagTypeList, OneTagType, ValidTagType, TagList, OneTag],
  operations: [
    query({
      id: 'getTagTypes',
      route: 'GET /api/admin/tag-types',
      summary: 'List tag types',
      description: 'Returns all tag types, sorted by name.',
      permission: 'NONE',
      output: jsonResponse('The tag types', TagTypeList),
      read: async ({ db }) => ({ version, tagTypes: await listTagTypes(db) }),
    }),
    query({
      id: 'getTagType',
      route: 'GET /api/admin/tag-types/:name',
      summary: 'Get a tag type',
      description: 'Returns one tag type.',
      permission: 'NONE',
      params: tagTypeParams,
      output: jsonResponse('The tag type', OneTagType),
      versioned: VERSIONED_TAG_TYPE,
      read: async ({ db }, { params: { name } }) => {
        const tagType = await findTagType(db, name);
        if (!tagType) throw notFound(`Tag type "${name}"`);
        return tagType;
      },
      present: tagType => ({ version, tagType }),
    }),
    command({
      id: 'createTagType',
      route: 'POST /api/admin/tag-types',
      summary: 'Create a tag type',
      description: 'Creates a tag type.',
      permission: ['CREATE_TAG_TYPE'],
      body: NewTagType,
      output: jsonResponse('The new tag type', TagType),
      status: 201,
      rejects: [409],
      events: ['tag-type-created'],
      run: (current, { body }) => createTagType(current, body),
    }),
    query({
      id: 'validateTagType',
      route: 'POST /api/admin/tag-types/validate',
      summary: 'Validate a tag type',
      description: 'Checks whether the tag type could be created. Changes nothing.',
      permission: 'NONE',
      body: NewTagType,
      output: jsonResponse('The tag type with its defaults', ValidTagType),
      rejects: [409],
      read: async ({ db }, { body }) => {
        if (await findTagType(db, body.name)) throw nameExists(`Tag type "${body.name}"`);
        return { valid: true, tagType: completeTagType(body) };
      },
    }),
    command({
      id: 'updateTagType',
      route: 'PUT /api/admin/tag-types/:name',
      summary: 'Update a tag type',
      description: 'Changes the given fields: description, icon, color.',
      permission: ['UPDATE_TAG_TYPE'],
      params: tagTypeParams,
      body: TagTypeUpdate,
      output: jsonResponse('The tag type', TagType),
      events: ['tag-type-updated'],
      precondition: ({ params: { name } }) => requireUnchanged(VERSIONED_TAG_TYPE, name),
      run: (current, { params: { name }, body }) => changeTagType(current, name, body),
    }),
    command({
      id: 'deleteTagType',
      route: 'DELETE /api/admin/tag-types/:name',
      summary: 'Delete a tag type',
      description:
        'Deletes a tag type with its tags, and removes the tags from all features. They can be attached to features at most 1,000 times.',
      permission: ['DELETE_TAG_TYPE'],
      params: tagTypeParams,
      events: ['feature-untagged', 'tag-deleted', 'tag-type-deleted'],
      precondition: ({ params: { name } }) => requireUnchanged(VERSIONED_TAG_TYPE, name),
      run: (current, { params: { name } }) => removeTagType(current, name),
    }),
    query({
      id: 'getTags',
      route: 'GET /api/admin/tags',
      summary: 'List tags',
      description: 'Returns all tags, sorted by type and value.',
      permission: 'NONE',
      output: jsonResponse('The tags', TagList),
      read: async ({ db, actor }) => ({ version, tags: await listTags(db, actor) }),
    }),
    query({
      id: 'getTagsOfType',
      route: 'GET /api/admin/tags/:type',
      summary: 'List tags of a type',
      description:
        'Returns the tags of one type, sorted by value. The list is empty if the type does not exist.',
      permission: 'NONE',
      params: Type.Object({ type }),
      output: jsonResponse('The tags', TagList),
      read: async ({ db, actor }, { params: { type } }) => ({
        version,
        tags: await listTags(db, actor, type),
      }),
    }),
    query({
      id: 'getTag',
      route: 'GET /api/admin/tags/:type/:value',
      summary: 'Get a tag',
      description: 'Returns one tag.',
      permission: 'NONE',
      params: tagParams,
      output: jsonResponse('The tag', OneTag),
      read: async ({ db, actor }, { params: { type, value } }) => {
        const tag = await findTag(db, actor, type, value);
        if (!tag) throw notFound(`Tag "${type}:${value}"`);
        return { version, tag };
      },
    }),
    command({
      id: 'createTag',
      route: 'POST /api/admin/tags',
      summary: 'Create a tag',
      description: 'Creates a tag of an existing type.',
      permission: 'NONE',
      cost: COST.personal,
      body: NewTag,
      output: jsonResponse('The new tag', OneTag),
      status: 201,
      rejects: [409],
      checks: [({ body }, db) => findTagViolations(db, body)],
      events: ['tag-created'],
      run: async (current, { body }) => ({ version, tag: await createTag(current, body) }),
    }),
    command({
      id: 'deleteTag',
      route: 'DELETE /api/admin/tags/:type/:value',
      summary: 'Delete a tag',
      description:
        'Deletes a tag, and removes it from all features. At most 1,000 features can have the tag. The permission must come from a root role, because a tag belongs to no project.',
      permission: ['UPDATE_FEATURE'],
      params: tagParams,
      events: ['feature-untagged', 'tag-deleted'],
      run: (current, { params: { type, value } }) => removeTag(current, type, value),
    }),
  ],
};
