import { notFound } from '@halyard/plane/platform/errors.ts';
import { jsonResponse, PathId } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { featureParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUnchanged } from '../../record/versioned.ts';
import { OwnedResources, Owner, OwnerList, OwnersInput } from './schema.ts';
import { setOwners } from './set.ts';
import { findOwnedResources, hasFeature, listOwners } from './store.ts';
import { VERSIONED_OWNERS } from './version.ts';

const BASE_PATH = '/api/admin/projects/:projectId/features/:featureName/owners';

export const OWNERS: OperationModule = {
  tag: 'Features',
  schemas: [Owner, OwnerList, OwnedResources],
  operations: [
    query({
      id: 'getFeatureOwners',
      route: `GET ${BASE_PATH}`,
      summary: 'List the owners of a feature',
      description: 'Returns the users and groups that are responsible for the feature.',
      permission: 'NONE',
      params: featureParams,
      output: jsonResponse('The owners', OwnerList),
      versioned: VERSIONED_OWNERS,
      read: async ({ db }, { params: { projectId, featureName } }) => {
        if (!(await hasFeature(db, projectId, featureName)))
          throw notFound(`Feature "${featureName}" in project "${projectId}"`);
        return { owners: await listOwners(db, featureName) };
      },
    }),
    command({
      id: 'setFeatureOwners',
      route: `PUT ${BASE_PATH}`,
      summary: 'Set the owners of a feature',
      description:
        'Replaces the owners of a feature: at most 10 users or groups. Owners get no permissions. An archived feature is rejected with 403.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: OwnersInput,
      output: jsonResponse('The owners', OwnerList),
      events: ['feature-owners-updated'],
      precondition: ({ params }) => requireUnchanged(VERSIONED_OWNERS, params),
      run: (current, { params: { projectId, featureName }, body }) =>
        setOwners(current, projectId, featureName, body),
      respond: async (tx, _actor, _result, { params: { featureName } }) => ({
        owners: await listOwners(tx, featureName),
      }),
    }),
    query({
      id: 'getOwned',
      route: 'GET /api/admin/user-admin/:id/owned',
      summary: 'List what a user owns',
      description:
        'Returns the active features that the user owns, and the projects where the user holds the Owner role directly. Check this list before you deactivate or delete a user.',
      permission: ['ADMIN'],
      params: Type.Object({ id: PathId('User', '7') }),
      output: jsonResponse('What the user owns', OwnedResources),
      read: async ({ db }, { params: { id } }) => {
        const resources = await findOwnedResources(db, Number(id));
        if (!resources) throw notFound(`User ${id}`);
        return resources;
      },
    }),
  ],
};
