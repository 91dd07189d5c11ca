import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { addLink, changeLink, removeLink } from './edit.ts';
import { FeatureLink, LinkInput } from './schema.ts';
import { validateLink } from './validate.ts';

const tags = ['Features'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const linkId = Type.String({ description: 'Id of the link', format: 'uuid' });
const ofLink = Type.Object({ projectId, featureName, linkId });

const HERE = '/api/admin/projects/:projectId/features/:featureName/link';

/** `featureRoutes` registers the schema FeatureLink. */
export function linkRoutes(app: App, db: Db): void {
  app.post(
    HERE,
    {
      config: {
        permission: ['UPDATE_FEATURE'],
        checks: [
          ({ body }) => {
            if (body.url !== undefined) validateLink({ url: body.url }, '/body');
          },
        ],
      },
      schema: {
        operationId: 'addFeatureLink',
        tags,
        summary: 'Add a link to a feature',
        description:
          'Adds a link to a feature, which can have at most 10 links. Requires UPDATE_FEATURE. Events: feature-link-added.',
        params: Type.Object({ projectId, featureName }),
        body: LinkInput,
        response: {
          201: jsonResponse('The new link', FeatureLink),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name } = request.params;
      const added = await change(db, request.actor, current => addLink(current, project, name, request.body));
      return reply.code(201).send(added);
    },
  );

  app.put(
    `${HERE}/:linkId`,
    {
      config: {
        permission: ['UPDATE_FEATURE'],
        checks: [
          ({ body }) => {
            if (body.url !== undefined) validateLink({ url: body.url }, '/body');
          },
        ],
      },
      schema: {
        operationId: 'updateFeatureLink',
        tags,
        summary: 'Update a link of a feature',
        description:
          'Changes the URL, and the title if it is given. Requires UPDATE_FEATURE. Events: feature-link-updated.',
        params: ofLink,
        body: LinkInput,
        response: {
          200: jsonResponse('The link', FeatureLink),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, featureName: name, linkId: id } = request.params;
      return await change(db, request.actor, current =>
        changeLink(current, project, name, id.toLowerCase(), request.body),
      );
    },
  );

  app.delete(
    `${HERE}/:linkId`,
    {
      config: { permission: ['UPDATE_FEATURE'] },
      schema: {
        operationId: 'deleteFeatureLink',
        tags,
        summary: 'Remove a link from a feature',
        description: 'Removes a link from a feature. Requires UPDATE_FEATURE. Events: feature-link-removed.',
        params: ofLink,
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, featureName: name, linkId: id } = request.params;
      await change(db, request.actor, current => removeLink(current, project, name, id.toLowerCase()));
      return reply.code(200).send();
    },
  );
}
