import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type ContextField = Schemas['ContextField'];
export type LegalValue = Schemas['LegalValue'];
type Update = Schemas['ContextFieldUpdate'];

const FIELD = '/api/admin/context/{contextField}';
const PROJECT_FIELD = '/api/admin/projects/{projectId}/context/{contextField}';

/** A field and its ETag, which identifies the version that the user has seen. */
export const fieldQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.contextFields, name],
    queryFn: async ({ signal }) => {
      const call = api.GET(FIELD, { params: { path: { contextField: name } }, signal });
      const field = await unwrap(call);
      return { field, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

/** The strategies that have a constraint on the field, directly or in one of their segments. */
export const usesQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.contextFields, name, 'strategies'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET(`${FIELD}/strategies`, { params: { path: { contextField: name } }, signal })))
        .strategies,
  });

/** Creates a field. If `projectId` is empty, all projects can use the field. */
export const createField = (projectId: string, body: Schemas['NewContextField']): Promise<ContextField> =>
  unwrap(
    projectId === ''
      ? api.POST('/api/admin/context', { body })
      : api.POST('/api/admin/projects/{projectId}/context', { params: { path: { projectId } }, body }),
  );

/** Replaces a field. The server rejects the request with 412 if somebody else has changed the field in the meantime. */
export const updateField = ({ name, project }: ContextField, body: Update, etag: string): Promise<void> => {
  const headers = { 'If-Match': etag };
  const path = { contextField: name };
  return ensureApplied(
    project === null
      ? api.PUT(FIELD, { params: { path }, body, headers })
      : api.PUT(PROJECT_FIELD, { params: { path: { ...path, projectId: project } }, body, headers }),
  );
};

export const deleteField = ({ name, project }: ContextField): Promise<void> => {
  const path = { contextField: name };
  return ensureApplied(
    project === null
      ? api.DELETE(FIELD, { params: { path } })
      : api.DELETE(PROJECT_FIELD, { params: { path: { ...path, projectId: project } } }),
  );
};

export const buildSubject = (name: string): Subject => ({
  types: ['context-field-created', 'context-field-updated'],
  text: name,
  isAbout: ({ data, preData }) => data?.name === name || preData?.name === name,
});
