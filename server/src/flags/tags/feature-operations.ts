import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { featureName, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { requireUniqueNames } from '../feature-rows/names.ts';
import { changeTags, readTags, tagFeature, untagFeature } from './feature-tags.ts';
import { NewTag, Tag, TagChange, TagList, TagsOfFeatures } from './schema.ts';

const version = 1;
const type = Type.String({ description: 'Name of the tag type', examples: ['simple'] });
const value = Type.String({ description: 'Value of the tag', examples: ['checkout'] });
const params = Type.Object({ featureName });

const BASE_PATH = '/api/admin/features/:featureName/tags';

/** The operations on feature tags. The guard looks up the project that has the feature and checks the permission there. */
export const FEATURE_TAGS: OperationModule = {
  tag: 'Tags',
  schemas: [],
  operations: [
    query({
      id: 'getFeatureTags',
      route: `GET ${BASE_PATH}`,
      summary: 'List the tags of a feature',
      description: 'Returns the tags, sorted by type and value.',
      permission: 'NONE',
      params,
      output: jsonResponse('The tags', TagList),
      read: async ({ db, projectOfFeature }, { params: { featureName } }) => ({
        version,
        tags: await readTags(db, projectOfFeature, featureName),
      }),
    }),
    command({
      id: 'tagFeature',
      route: `POST ${BASE_PATH}`,
      summary: 'Tag a feature',
      description: 'Attaches a tag to a feature. A new tag of an existing type is created.',
      permission: ['UPDATE_FEATURE'],
      params,
      body: NewTag,
      output: jsonResponse('The tag', Tag),
      status: 201,
      events: ['feature-tagged', 'tag-created'],
      run: (current, { params: { featureName }, body }, { projectOfFeature }) =>
        tagFeature(current, projectOfFeature, featureName, body),
    }),
    command({
      id: 'changeFeatureTags',
      route: `PUT ${BASE_PATH}`,
      summary: 'Change the tags of a feature',
      description: 'Attaches and removes tags in one change.',
      permission: ['UPDATE_FEATURE'],
      params,
      body: TagChange,
      output: jsonResponse('The tags of the feature', TagList),
      events: ['feature-tagged', 'feature-untagged', 'tag-created'],
      run: async (current, { params: { featureName }, body }, { projectOfFeature }) => {
        const getPath = (index: number) => `/body/addedTags/${index}`;
        await changeTags(current, projectOfFeature, [featureName], body, getPath);
        return projectOfFeature;
      },
      respond: async (tx, _actor, project, { params: { featureName } }) => ({
        version,
        tags: await readTags(tx, project, featureName),
      }),
    }),
    command({
      id: 'untagFeature',
      route: `DELETE ${BASE_PATH}/:type/:value`,
      summary: 'Untag a feature',
      description: 'Removes a tag from a feature, but does not delete the tag.',
      permission: ['UPDATE_FEATURE'],
      params: Type.Object({ featureName, type, value }),
      events: ['feature-untagged'],
      run: (current, { params: { featureName, type, value } }, { projectOfFeature }) =>
        untagFeature(current, projectOfFeature, featureName, { type, value }),
    }),
    command({
      id: 'changeTagsOfFeatures',
      route: 'PUT /api/admin/projects/:projectId/tags',
      summary: 'Change the tags of several features',
      description: 'Adds and removes the same tags on all given features, or on none of them.',
      permission: ['UPDATE_FEATURE'],
      cost: COST.bulk,
      params: projectParams,
      body: TagsOfFeatures,
      events: ['feature-tagged', 'feature-untagged', 'tag-created'],
      run: (current, { params: { projectId }, body: { features, tags } }) => {
        const getPath = (index: number) => `/body/tags/addedTags/${index}`;
        return changeTags(current, projectId, requireUniqueNames(features), tags, getPath);
      },
    }),
  ],
};
