import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createProjectToken, tokenViolations } from './create.ts';
import { apiTokenKey } from './key.ts';
import { revokeProjectToken } from './revoke.ts';
import { ApiToken, ApiTokenList, NewProjectToken, TOKEN_TYPES } from './schema.ts';
import { isForProject, listTokens } from './store.ts';

const tags = ['API tokens'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const inProject = Type.Object({ projectId });

/** The tokens of one project, for callers without permissions on the tokens of the instance. */
export function projectTokenRoutes(app: App, db: Db, limits: Pick<Limits, 'apiTokens'>): void {
  app.get(
    '/api/admin/projects/:projectId/api-tokens',
    {
      config: { permission: ['READ_PROJECT_API_TOKEN'] },
      schema: {
        operationId: 'getProjectApiTokens',
        tags,
        summary: 'List the API tokens of a project',
        description:
          'Returns the tokens of this project without their secrets. Leaves out tokens of all projects and tokens that are also for a project the caller cannot read. Requires READ_PROJECT_API_TOKEN.',
        params: inProject,
        response: { 200: jsonResponse('The tokens', ApiTokenList), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const ofProject = isForProject(request.params.projectId);
      return { tokens: await listTokens(db, request.actor, TOKEN_TYPES, ofProject) };
    },
  );

  app.post(
    '/api/admin/projects/:projectId/api-tokens',
    {
      config: {
        permission: ['CREATE_PROJECT_API_TOKEN'],
        returnsSecret: true,
        rejectUnknownFields: ACCEPTED_FIELDS.token,
        checks: [({ body, actor }) => tokenViolations(db, actor, body)],
      },
      schema: {
        operationId: 'createProjectApiToken',
        tags,
        summary: 'Create an API token of a project',
        description:
          'Creates a token for SDKs that is only for this project. Only this response has the secret. Requires CREATE_PROJECT_API_TOKEN. Events: api-token-created.',
        params: inProject,
        body: NewProjectToken,
        response: {
          201: jsonResponse('The new token, with its secret', ApiToken),
          ...errorResponses(400, 401, 403, 404, 409, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const token = await change(db, actor, current =>
        createProjectToken(current, params.projectId, body, limits.apiTokens),
      );
      return reply.code(201).send(token);
    },
  );

  app.delete(
    '/api/admin/projects/:projectId/api-tokens/:token',
    {
      config: { permission: ['DELETE_PROJECT_API_TOKEN'] },
      schema: {
        operationId: 'deleteProjectApiToken',
        tags,
        summary: 'Revoke an API token of a project',
        description:
          'Revokes a token that is only for this project. Every server rejects it immediately. Requires DELETE_PROJECT_API_TOKEN. Events: api-token-deleted.',
        params: Type.Object({
          projectId,
          token: Type.String({
            title: 'ApiTokenOrId',
            maxLength: 512,
            description: 'The token itself, or its id',
            examples: ['12'],
          }),
        }),
        response: { 200: Nothing, ...errorResponses(400, 401, 403, 404) },
      },
    },
    async (request, reply) => {
      const { projectId: project, token } = request.params;
      await change(db, request.actor, current => revokeProjectToken(current, project, apiTokenKey(token)));
      return reply.code(200).send();
    },
  );
}
