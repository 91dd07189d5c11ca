import { Type } from 'typebox';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import { jsonResponse, PathId } from '../../../../plane/src/platform/http/schema.ts';
import { ofFeature } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { unchanged } from '../../record/versioned.ts';
import { OwnedThings, Owner, OwnerList, OwnersInput } from './schema.ts';
import { setOwners } from './set.ts';
import { findOwned, hasFeature, listOwners } from './store.ts';
import { VERSIONED_OWNERS } from './version.ts';

const HERE = '/api/admin/projects/:projectId/features/:featureName/owners';

export const OWNERS: OperationModule = {
  tag: 'Features',
  schemas: [Owner, OwnerList, OwnedThings],
  operations: [
    query({
      id: 'getFeatureOwners',
      route: `GET ${HERE}`,
      summary: 'List the owners of a feature',
      description: 'Returns the users and groups that are responsible for the feature.',
      permission: 'NONE',
      params: ofFeature,
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
      route: `PUT ${HERE}`,
      summary: 'Set the owners of a feature',
      description:
        'Replaces the owners of a feature: at most 10 users or groups. Owners get no permissions. An archived feature is rejected with 403.',
      permission: ['UPDATE_FEATURE'],
      params: ofFeature,
      body: OwnersInput,
      output: jsonResponse('The owners', OwnerList),
      events: ['feature-owners-updated'],
      precondition: ({ params }) => unchanged(VERSIONED_OWNERS, params),
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
        'Returns the active features that the user owns, and the projects in which the user holds the role Owner directly. Check it before you deactivate or delete a user.',
      permission: ['ADMIN'],
      params: Type.Object({ id: PathId('User', '7') }),
      output: jsonResponse('What the user owns', OwnedThings),
      read: async ({ db }, { params: { id } }) => {
        const owned = await findOwned(db, Number(id));
        if (!owned) throw notFound(`User ${id}`);
        return owned;
      },
    }),
  ],
};
