import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { uniqueNames } from '../feature-rows/names.ts';
import { changeTags, readTags, tagFeature, untagFeature } from './feature-tags.ts';
import { NewTag, Tag, TagChange, TagList, TagsOfFeatures } from './schema.ts';

const tags = ['Tags'];
const version = 1;
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const type = Type.String({ description: 'Name of the tag type', examples: ['simple'] });
const value = Type.String({ description: 'Value of the tag', examples: ['checkout'] });

const HERE = '/api/admin/features/:featureName/tags';

/** The tags of features. The guard finds the project of the feature and checks the permission in it. */
export function featureTagRoutes(app: App, db: Db): void {
  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureTags',
        tags,
        summary: 'List the tags of a feature',
        description: 'Returns the tags by type and value.',
        params: Type.Object({ featureName }),
        response: { 200: jsonResponse('The tags', TagList), ...errorResponses(401, 403, 404) },
      },
    },
    async request => ({
      version,
      tags: await readTags(db, request.projectOfFeature, request.params.featureName),
    }),
  );

  app.post(
    HERE,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'tagFeature',
        tags,
        summary: 'Tag a feature',
        description:
          'Attaches a tag to a feature. A new tag of an existing type is created. Requires UPDATE_FEATURE. Events: feature-tagged, tag-created.',
        params: Type.Object({ featureName }),
        body: NewTag,
        response: { 201: jsonResponse('The tag', Tag), ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { actor, projectOfFeature, params, body } = request;
      const tag = await change(db, actor, current =>
        tagFeature(current, projectOfFeature, params.featureName, body),
      );
      return reply.code(201).send(tag);
    },
  );

  app.put(
    HERE,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'changeFeatureTags',
        tags,
        summary: 'Change the tags of a feature',
        description:
          'Attaches and removes tags in one change. Requires UPDATE_FEATURE. Events: feature-tagged, feature-untagged, tag-created.',
        params: Type.Object({ featureName }),
        body: TagChange,
        response: {
          200: jsonResponse('The tags of the feature', TagList),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { actor, projectOfFeature, params, body } = request;
      const name = params.featureName;
      const pathOf = (index: number) => `/body/addedTags/${index}`;
      const remaining = await change(
        db,
        actor,
        current => changeTags(current, projectOfFeature, [name], body, pathOf),
        tx => readTags(tx, projectOfFeature, name),
      );
      return { version, tags: remaining };
    },
  );

  app.delete(
    `${HERE}/:type/:value`,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'untagFeature',
        tags,
        summary: 'Untag a feature',
        description:
          'Removes a tag from a feature, but does not delete the tag. Requires UPDATE_FEATURE. Events: feature-untagged.',
        params: Type.Object({ featureName, type, value }),
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { actor, projectOfFeature, params } = request;
      const { type, value } = params;
      await change(db, actor, current =>
        untagFeature(current, projectOfFeature, params.featureName, { type, value }),
      );
      return reply.code(200).send();
    },
  );

  app.put(
    '/api/admin/projects/:projectId/tags',
    {
      config: { permission: ['UPDATE_FEATURE'], cost: COST.bulk },
      schema: {
        operationId: 'changeTagsOfFeatures',
        tags,
        summary: 'Change the tags of several features',
        description:
          'Attaches and removes the same tags of all of the named features, or of none. Requires UPDATE_FEATURE. Events: feature-tagged and feature-untagged for each tag and feature, tag-created.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        body: TagsOfFeatures,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { features, tags: wanted } = request.body;
      const names = uniqueNames(features);
      const pathOf = (index: number) => `/body/tags/addedTags/${index}`;
      const { projectId: project } = request.params;
      await change(db, request.actor, current => changeTags(current, project, names, wanted, pathOf));
      return reply.code(200).send();
    },
  );
}
