import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameExists } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import type { LongReads } from '../../platform/http/long-reads.ts';
import { JsonPatch } from '../../platform/http/patch.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { answer, Nothing, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { Dependency } from '../dependencies/schema.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { FeatureNames } from '../feature-rows/schema.ts';
import { Lifecycle } from '../lifecycle/schema.ts';
import { FeatureLink } from '../links/schema.ts';
import { archiveFeatures, removeFeatures, reviveFeatures } from './archive.ts';
import { archiveRoutes } from './archive-routes.ts';
import { createFeature, newFeatureViolations } from './create.ts';
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
import { isNameTaken } from './store.ts';
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
        description: 'The features that are not archived, by name, with their environments and strategies.',
        params: inProject,
        response: { 200: answer('The features', FeatureList), ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) =>
      await longReads.send(reply, request.caller, db =>
        featureList(db, request.actor, request.params.projectId),
      ),
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
          'Creates a feature, off in every environment of the project. Its name must be free in the whole instance, archived features included, and fit the naming pattern of the project. Events: feature-created, and feature-tagged for each tag, tag-created for each new one.',
        params: inProject,
        body: NewFeature,
        response: { 201: answer('The new feature', Feature), ...refusals(400, 401, 403, 404, 409, 413, 415) },
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
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeature',
        tags,
        summary: 'Get a feature',
        description: 'One feature with its environments, strategies and variants; an archived one too.',
        params: ofFeature,
        response: { 200: answer('The feature', Feature), ...refusals(401, 403, 404) },
      },
    },
    async request =>
      await readFeature(db, request.actor, request.params.projectId, request.params.featureName),
  );

  app.put(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'updateFeature',
        tags,
        summary: 'Update a feature',
        description:
          'Changes type, description, impression data or staleness; what is left out stays. Events: feature-metadata-updated, feature-stale-on, feature-stale-off.',
        params: ofFeature,
        body: FeatureUpdate,
        response: { 200: answer('The feature', Feature), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => {
      const { actor, body } = request;
      const { projectId: project, featureName: name } = request.params;
      return await change(
        db,
        actor,
        current => changeFeature(current, project, name, body),
        tx => readFeature(tx, actor, project, name),
      );
    },
  );

  app.patch(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'patchFeature',
        tags,
        summary: 'Change a feature by JSON Patch',
        description:
          'The same as the update, told as a list of changes to type, description, impressionData and stale.',
        params: ofFeature,
        body: JsonPatch,
        response: { 200: answer('The feature', Feature), ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async request => {
      const { actor, body } = request;
      const { projectId: project, featureName: name } = request.params;
      return await change(
        db,
        actor,
        current => patchFeature(current, project, name, body),
        tx => readFeature(tx, actor, project, name),
      );
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/features/:featureName',
    {
      config: { permission: ['DELETE_FEATURE'] },
      schema: {
        operationId: 'archiveFeature',
        tags,
        summary: 'Archive a feature',
        description:
          'Puts a feature away; it can be revived, and its name stays taken. It no longer depends on others; while others depend on it, it stays. Events: feature-dependencies-removed, feature-archived.',
        params: ofFeature,
        response: { 202: Nothing, ...refusals(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      await change(db, request.actor, current => archiveFeatures(current, project, [name]));
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
          'Archives all of the named features, or none. A parent goes with all its children only. Events: feature-dependencies-removed, feature-archived, for each.',
        params: inProject,
        body: FeatureNames,
        response: { 202: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
          'Brings all of the named features back, off everywhere and without parents, or none; if there is a place for them. Events: feature-revived, feature-environment-disabled.',
        params: inProject,
        body: FeatureNames,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
          'Deletes all of the named features for good, or none. Only archived ones can go. Events: feature-deleted.',
        params: inProject,
        body: FeatureNames,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
        summary: 'Mark features as stale, or not',
        description: 'Marks all of the named features, or none. Events: feature-stale-on, feature-stale-off.',
        params: inProject,
        body: StaleFeatures,
        response: { 202: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
          'Gives the feature to another project, which takes MOVE_FEATURE_TOGGLE in both. Refused with every obstacle if it would mean something else there. Events: feature-project-change.',
        params: ofFeature,
        body: FeatureMove,
        response: { 200: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
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
        summary: 'Ask whether a feature name may be used',
        description: 'Answers 200 if the name is well formed and free, archived features included.',
        body: FeatureNameCheck,
        response: { 200: Nothing, ...refusals(400, 401, 403, 409, 413, 415) },
      },
    },
    async (request, reply) => {
      if (await isNameTaken(db, request.body.name)) throw nameExists(`A feature named ${request.body.name}`);
      return reply.code(200).send();
    },
  );
}
