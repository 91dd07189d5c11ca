import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { rejectForAll } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches, unlessKnown } from '../../platform/http/etag.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { JsonPatch } from '../../platform/http/patch.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { Dependency } from '../dependencies/schema.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { FeatureLink } from '../links/schema.ts';
import { archiveFeatures, removeFeatures, reviveFeatures } from './archive.ts';
import { archiveRoutes } from './archive-routes.ts';
import { createFeature, newFeatureViolations } from './create.ts';
import { etagOfFeature, lockFeatureEtag } from './etag.ts';
import { featureList } from './list.ts';
import { moveFeature } from './move.ts';
import { readFeature } from './read.ts';
import {
  Feature,
  FeatureList,
  FeatureMove,
  FeatureNameCheck,
  FeatureUpdate,
  NewFeature,
  StaleFeatures,
} from './schema.ts';
import { markStale } from './stale.ts';
import { takenNameErrors } from './taken-names.ts';
import { changeFeature, patchFeature } from './update.ts';

const tags = ['Features'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const inProject = Type.Object({ projectId });
const ofFeature = Type.Object({ projectId, featureName });

export function featureRoutes(
  app: App,
  db: Db,
  limits: Pick<Limits, 'features'>,
  longReads: LongReads,
): void {
  for (const schema of [Dependency, FeatureLink, Lifecycle, Feature, FeatureList]) app.addSchema(schema);
  archiveRoutes(app, db, limits);

  app.get(
    '/api/admin/projects/:projectId/features',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatures',
        tags,
        summary: 'List the features of a project',
        description: 'Returns the active features by name, with their environments and strategies.',
        params: inProject,
        response: { 200: jsonResponse('The features', FeatureList), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) =>
      await longReads.send(reply, db => featureList(db, request.actor, request.params.projectId)),
  );

  app.post(
    '/api/admin/projects/:projectId/features',
    {
      config: {
        permission: ['CREATE_FEATURE'],
        checks: [
          ({ params: { projectId = '' }, body, items }) =>
            newFeatureViolations(db, projectId, body, items('tags')),
        ],
      },
      schema: {
        operationId: 'createFeature',
        tags,
        summary: 'Create a feature',
        description:
          'Creates a feature, disabled in every environment of the project. Its name must be unique in the instance, archived features included, and match the naming pattern of the project. Requires CREATE_FEATURE. Events: feature-created, feature-tagged for each tag, tag-created for each new tag.',
        params: inProject,
        body: NewFeature,
        response: {
          201: jsonResponse('The new feature', Feature),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const { projectId: project } = request.params;
      const created = await change(
        db,
        actor,
        current => createFeature(current, project, body, limits.features),
        tx => readFeature(tx, actor, project, body.name),
      );
      return reply.code(201).send(created);
    },
  );

  app.get(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: 'NONE', etag: true },
      schema: {
        operationId: 'getFeature',
        tags,
        summary: 'Get a feature',
        description: 'Returns one active or archived feature with its environments, strategies and variants.',
        params: ofFeature,
        response: { 200: jsonResponse('The feature', Feature), ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      const feature = await readFeature(db, request.actor, project, name);
      return unlessKnown(request, reply, etagOfFeature(feature), feature);
    },
  );

  app.put(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['UPDATE_FEATURE'], ifMatch: true },
      schema: {
        operationId: 'updateFeature',
        tags,
        summary: 'Update a feature',
        description:
          'Changes the given fields: type, description, impressionData, stale. Requires UPDATE_FEATURE. Events: feature-metadata-updated, feature-stale-on, feature-stale-off.',
        params: ofFeature,
        body: FeatureUpdate,
        response: {
          200: jsonResponse('The feature', Feature),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { actor, body } = request;
      const { projectId: project, featureName: name } = request.params;
      return await change(
        db,
        actor,
        current =>
          ifMatches(
            request,
            `Feature "${name}"`,
            () => lockFeatureEtag(current, project, name),
            () => changeFeature(current, project, name, body),
          ),
        tx => readFeature(tx, actor, project, name),
      );
    },
  );

  app.patch(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['UPDATE_FEATURE'], ifMatch: true },
      schema: {
        operationId: 'patchFeature',
        tags,
        summary: 'Patch a feature',
        description:
          'Applies a JSON Patch to type, description, impressionData and stale. Requires UPDATE_FEATURE. Events: feature-metadata-updated, feature-stale-on, feature-stale-off.',
        params: ofFeature,
        body: JsonPatch,
        response: {
          200: jsonResponse('The feature', Feature),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { actor, body } = request;
      const { projectId: project, featureName: name } = request.params;
      return await change(
        db,
        actor,
        current =>
          ifMatches(
            request,
            `Feature "${name}"`,
            () => lockFeatureEtag(current, project, name),
            () => patchFeature(current, project, name, body),
          ),
        tx => readFeature(tx, actor, project, name),
      );
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['DELETE_FEATURE'], ifMatch: true },
      schema: {
        operationId: 'archiveFeature',
        tags,
        summary: 'Archive a feature',
        description:
          'Archives a feature, which can be revived. Its name stays reserved, and its dependencies are removed. A feature that is the parent of another active feature cannot be archived. Requires DELETE_FEATURE. Events: feature-dependencies-removed, feature-archived.',
        params: ofFeature,
        response: { 202: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current =>
        ifMatches(
          request,
          `Feature "${name}"`,
          () => lockFeatureEtag(current, project, name),
          () => archiveFeatures(current, project, [name]),
        ),
      );
      return reply.code(202).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/archive',
    {
      config: { permission: ['DELETE_FEATURE'], cost: COST.bulk },
      schema: {
        operationId: 'archiveFeatures',
        tags,
        summary: 'Archive features',
        description:
          'Archives all of the named features, or none. A parent can only be archived together with all its children. Requires DELETE_FEATURE. Events: feature-dependencies-removed, feature-archived, for each feature.',
        params: inProject,
        body: FeatureNames,
        response: { 202: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      const names = uniqueNames(request.body.features);
      await change(db, request.actor, current => archiveFeatures(current, project, names));
      return reply.code(202).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/revive',
    {
      config: { permission: ['UPDATE_FEATURE'], cost: COST.bulk },
      schema: {
        operationId: 'reviveFeatures',
        tags,
        summary: 'Revive archived features',
        description:
          'Revives all of the named features, or none, disabled in every environment and without parents. The limits of the project and the instance apply. Requires UPDATE_FEATURE. Events: feature-revived, feature-environment-disabled.',
        params: inProject,
        body: FeatureNames,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      const names = uniqueNames(request.body.features);
      await change(db, request.actor, current => reviveFeatures(current, project, names, limits.features));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/delete',
    {
      config: { permission: ['DELETE_FEATURE'], cost: COST.bulk },
      schema: {
        operationId: 'deleteFeatures',
        tags,
        summary: 'Delete archived features',
        description:
          'Deletes all of the named features permanently, or none. They must be archived. Requires DELETE_FEATURE. Events: feature-deleted.',
        params: inProject,
        body: FeatureNames,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      const names = uniqueNames(request.body.features);
      await change(db, request.actor, current => removeFeatures(current, project, names));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/stale',
    {
      config: { permission: ['UPDATE_FEATURE'], cost: COST.bulk },
      schema: {
        operationId: 'markFeaturesStale',
        tags,
        summary: 'Mark or unmark features as stale',
        description:
          'Marks or unmarks all of the named features, or none. Requires UPDATE_FEATURE. Events: feature-stale-on, feature-stale-off.',
        params: inProject,
        body: StaleFeatures,
        response: { 202: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project } = request.params;
      const { features, stale } = request.body;
      const names = uniqueNames(features);
      await change(db, request.actor, current => markStale(current, project, names, stale));
      return reply.code(202).send();
    },
  );

  app.post(
    '/api/admin/projects/:projectId/features/:featureName/changeProject',
    {
      config: { permission: ['MOVE_FEATURE_TOGGLE'] },
      schema: {
        operationId: 'changeProject',
        tags,
        summary: 'Move a feature to another project',
        description:
          'Moves the feature to another project. Rejected with every reason if users would get another result there. Requires MOVE_FEATURE_TOGGLE in both projects. Events: feature-project-change.',
        params: ofFeature,
        body: FeatureMove,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      const { newProjectId } = request.body;
      await change(db, request.actor, current => moveFeature(current, project, name, newProjectId));
      return reply.code(200).send();
    },
  );

  app.post(
    '/api/admin/features/validate',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'validateFeatureName',
        tags,
        summary: 'Validate a feature name',
        description: 'Returns 200 if the name is valid and no active or archived feature has it.',
        body: FeatureNameCheck,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      rejectForAll('The name', await takenNameErrors(db, request.actor, [request.body.name]));
      return reply.code(200).send();
    },
  );
}
