import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectId, projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { ACCEPTED_FIELDS } from '../accepted-fields.ts';
import { createProjectToken, findTokenViolations } from './create.ts';
import { withEnrolment } from './enrolment.ts';
import { toApiTokenKey } from './key.ts';
import { revokeProjectToken } from './revoke.ts';
import { ApiToken, ApiTokenList, NewProjectToken, TOKEN_TYPES } from './schema.ts';
import { isForProject, listTokens } from './store.ts';

/** Operations on the tokens of one project, for callers without permissions on the tokens of the whole instance. */
export const PROJECT_API_TOKENS: OperationModule = {
  tag: 'API tokens',
  schemas: [],
  operations: [
    query({
      id: 'getProjectApiTokens',
      route: 'GET /api/admin/projects/:projectId/api-tokens',
      summary: 'List the API tokens of a project',
      description:
        'Returns the tokens of this project without their secrets. Omits tokens for all projects, and tokens that are also for a project the caller cannot read.',
      permission: ['READ_PROJECT_API_TOKEN'],
      params: projectParams,
      output: jsonResponse('The tokens', ApiTokenList),
      read: async ({ db, actor }, { params: { projectId: project } }) => ({
        tokens: await listTokens(db, actor, TOKEN_TYPES, isForProject(project)),
      }),
    }),
    command({
      id: 'createProjectApiToken',
      route: 'POST /api/admin/projects/:projectId/api-tokens',
      summary: 'Create an API token for a project',
      description: 'Creates an SDK token for this project only. Only this response has the secret.',
      permission: ['CREATE_PROJECT_API_TOKEN'],
      params: projectParams,
      body: NewProjectToken,
      output: jsonResponse('The new token, with its secret', ApiToken),
      status: 201,
      rejects: [409],
      returnsSecret: true,
      rejectUnknownFieldsExcept: ACCEPTED_FIELDS.token,
      checks: [({ body, invalid, actor }, db) => findTokenViolations(db, actor, body, invalid)],
      events: ['api-token-created'],
      run: async (current, { params: { projectId: project }, body }, { limits, keyring, publicUrl }) =>
        withEnrolment(
          await createProjectToken(current, project, body, limits.apiTokens, keyring),
          keyring,
          publicUrl,
        ),
    }),
    command({
      id: 'deleteProjectApiToken',
      route: 'DELETE /api/admin/projects/:projectId/api-tokens/:token',
      summary: 'Revoke an API token of a project',
      description: 'Revokes a token that is only for this project. Every server rejects it within a second.',
      permission: ['DELETE_PROJECT_API_TOKEN'],
      params: Type.Object({
        projectId,
        token: Type.String({
          title: 'ApiTokenOrId',
          maxLength: 512,
          description: 'The token itself, or its id',
          examples: ['12'],
        }),
      }),
      events: ['api-token-deleted'],
      run: (current, { params: { projectId: project, token } }) =>
        revokeProjectToken(current, project, toApiTokenKey(token)),
    }),
  ],
};
