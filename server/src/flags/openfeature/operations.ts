import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { featureParams, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import {
  archiveFromManifest,
  createFromManifest,
  readManifest,
  readManifestFlag,
  updateFromManifest,
} from './manifest.ts';
import {
  ArchivedManifestFlag,
  ChangedManifestFlag,
  Manifest,
  ManifestFlag,
  ManifestFlagUpdate,
  NewManifestFlag,
} from './schema.ts';

/** The CLI appends /openfeature/v0/… to the provider URL, so users configure a project URL as the provider URL. */
const MANIFEST = '/api/admin/projects/:projectId/openfeature/v0/manifest';

const IGNORED_PATHS = [['defaultValue'], ['name']];
const ignoredPathsIn = (body: unknown): string[][] =>
  IGNORED_PATHS.filter(([field = '']) => Object.hasOwn(Object(body), field));

export const OPENFEATURE: OperationModule = {
  tag: 'OpenFeature CLI',
  schemas: [ManifestFlag, Manifest, ChangedManifestFlag, ArchivedManifestFlag],
  operations: [
    query({
      id: 'getManifest',
      route: `GET ${MANIFEST}`,
      summary: 'Get the OpenFeature manifest of a project',
      description:
        'Returns the active flags of the project with the types of their values, for generators such as the OpenFeature CLI. Flags whose payloads are fractions are omitted, because the manifest has no type for them.',
      permission: 'NONE',
      params: projectParams,
      output: jsonResponse('The manifest', Manifest),
      read: async ({ longReads, longReader }, { params: { projectId } }) => ({
        flags: await longReads.run(longReader, db => readManifest(db, projectId)),
      }),
    }),
    command({
      id: 'createManifestFlag',
      route: `POST ${MANIFEST}/flags`,
      summary: 'Create a flag from an OpenFeature manifest',
      description:
        'Creates a boolean flag, disabled in every environment of the project. The default value is not stored.',
      permission: ['CREATE_FEATURE'],
      params: projectParams,
      body: NewManifestFlag,
      output: jsonResponse('The new flag', ChangedManifestFlag),
      status: 201,
      rejects: [409],
      ignoredPaths: ignoredPathsIn,
      events: ['feature-created'],
      run: (current, { params: { projectId }, body }, { limits }) =>
        createFromManifest(current, projectId, body, limits.features),
      respond: async (tx, _actor, _result, { params: { projectId }, body: { key } }) => ({
        flag: await readManifestFlag(tx, projectId, key),
        updatedAt: new Date().toISOString(),
      }),
    }),
    command({
      id: 'updateManifestFlag',
      route: `PUT ${MANIFEST}/flags/:featureName`,
      summary: 'Update a flag from an OpenFeature manifest',
      description:
        'Changes the description of the flag. The server rejects the request with 409 if the flag is archived or the type does not match its payloads.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: ManifestFlagUpdate,
      output: jsonResponse('The flag', ChangedManifestFlag),
      rejects: [409],
      ignoredPaths: ignoredPathsIn,
      events: ['feature-metadata-updated'],
      run: (current, { params: { projectId, featureName }, body }) =>
        updateFromManifest(current, projectId, featureName, body),
      respond: async (tx, _actor, _result, { params: { projectId, featureName } }) => ({
        flag: await readManifestFlag(tx, projectId, featureName),
        updatedAt: new Date().toISOString(),
      }),
    }),
    command({
      id: 'archiveManifestFlag',
      route: `DELETE ${MANIFEST}/flags/:featureName`,
      summary: 'Archive a flag from the OpenFeature CLI',
      description:
        'Archives the flag. It can be revived. The server rejects the request with 409 if the flag is already archived.',
      permission: ['DELETE_FEATURE'],
      params: featureParams,
      output: jsonResponse('The result', ArchivedManifestFlag),
      rejects: [409],
      events: ['feature-dependencies-removed', 'feature-archived'],
      run: (current, { params: { projectId, featureName } }) =>
        archiveFromManifest(current, projectId, featureName),
      respond: async (_tx, _actor, _result, { params: { featureName } }) => ({
        message: `Flag "${featureName}" was archived. It can be revived.`,
        archivedAt: new Date().toISOString(),
      }),
    }),
  ],
};
