import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type TagType = Schemas['TagType'];
export type Tag = Schemas['Tag'];

const TYPE_PATH = '/api/admin/tag-types/{name}';
const toPathParams = (name: string) => ({ params: { path: { name } } });

/** All tags of all types. */
export const allTagsQuery = queryOptions({
  queryKey: [...keys.tags, 'all'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/api/admin/tags', { signal }))).tags,
  staleTime: 30_000,
});

/** A tag type and its ETag, which identifies the version that the user has seen. */
export const tagTypeQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.tagTypes, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(TYPE_PATH, { ...toPathParams(name), signal });
      const { tagType } = await unwrap(call);
      return { tagType, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createTagType = (body: Schemas['NewTagType']): Promise<TagType> =>
  unwrap(api.POST('/api/admin/tag-types', { body }));

/** Replaces the description and the color. The server rejects the request with 412 if somebody has changed the type in the meantime. */
export const updateTagType = (name: string, body: Schemas['TagTypeUpdate'], etag: string): Promise<void> =>
  ensureApplied(api.PUT(TYPE_PATH, { ...toPathParams(name), body, headers: { 'If-Match': etag } }));

export const deleteTagType = (name: string): Promise<void> =>
  ensureApplied(api.DELETE(TYPE_PATH, toPathParams(name)));

export const createTag = (body: Tag): Promise<void> => ensureApplied(api.POST('/api/admin/tags', { body }));

export const deleteTag = ({ type, value }: Tag): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/tags/{type}/{value}', { params: { path: { type, value } } }));

export const buildSubject = (name: string): Subject => ({
  types: ['tag-type-created', 'tag-type-updated'],
  text: name,
  isAbout: ({ data }) => data?.name === name,
});
