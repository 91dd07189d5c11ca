import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import type { ValidInput } from '../../platform/http/input/checks.ts';
import { featureName, featureParams, projectId } from '../../platform/http/params.ts';
import { command, type OperationModule } from '../../record/operations/definition.ts';
import { addLink, changeLink, removeLink } from './edit.ts';
import { FeatureLink, LinkInput } from './schema.ts';
import { validateLink } from './validate.ts';

const linkId = Type.String({ description: 'Id of the link', format: 'uuid' });
const linkParams = Type.Object({ projectId, featureName, linkId });

const BASE_PATH = '/api/admin/projects/:projectId/features/:featureName/link';

const checkUrl = ({ body: { url } }: ValidInput) => {
  if (url !== undefined) validateLink({ url }, '/body');
};

/** The `FeatureLink` schema is registered with the feature operations. */
export const LINKS: OperationModule = {
  tag: 'Features',
  schemas: [],
  operations: [
    command({
      id: 'addFeatureLink',
      route: `POST ${BASE_PATH}`,
      summary: 'Add a link to a feature',
      description: 'Adds a link to a feature, which can have at most 10 links.',
      permission: ['UPDATE_FEATURE'],
      params: featureParams,
      body: LinkInput,
      output: jsonResponse('The new link', FeatureLink),
      status: 201,
      checks: [checkUrl],
      events: ['feature-link-added'],
      run: (current, { params: { projectId, featureName }, body }) =>
        addLink(current, projectId, featureName, body),
    }),
    command({
      id: 'updateFeatureLink',
      route: `PUT ${BASE_PATH}/:linkId`,
      summary: 'Update a feature link',
      description: 'Changes the URL, and the title if it is given.',
      permission: ['UPDATE_FEATURE'],
      params: linkParams,
      body: LinkInput,
      output: jsonResponse('The link', FeatureLink),
      checks: [checkUrl],
      events: ['feature-link-updated'],
      run: (current, { params: { projectId, featureName, linkId }, body }) =>
        changeLink(current, projectId, featureName, linkId.toLowerCase(), body),
    }),
    command({
      id: 'deleteFeatureLink',
      route: `DELETE ${BASE_PATH}/:linkId`,
      summary: 'Remove a link from a feature',
      description: 'Removes a link from a feature.',
      permission: ['UPDATE_FEATURE'],
      params: linkParams,
      events: ['feature-link-removed'],
      run: (current, { params: { projectId, featureName, linkId } }) =>
        removeLink(current, projectId, featureName, linkId.toLowerCase()),
    }),
  ],
};
