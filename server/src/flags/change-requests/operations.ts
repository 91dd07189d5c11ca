import { Ref } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectEnvironmentParams, projectParams } from '../../platform/http/params.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { listChangeRequestConfigs, setChangeRequestConfig } from './configure.ts';
import { ChangeRequestConfig, ChangeRequestConfigInput } from './schema.ts';

export const CHANGE_REQUESTS: OperationModule = {
  tag: 'Environments',
  schemas: [ChangeRequestConfig],
  operations: [
    query({
      id: 'getChangeRequestConfig',
      route: 'GET /api/admin/projects/:projectId/change-requests/config',
      summary: 'List the change request settings of a project',
      description:
        'Returns one entry for each environment of the project, by sort order. Halyard does not support change requests yet, so they are disabled in every environment. Every caller who may read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      output: Type.Array(Ref(ChangeRequestConfig), {
        title: 'ChangeRequestConfigList',
        description: 'The environments',
      }),
      read: ({ db }, { params: { projectId } }) => listChangeRequestConfigs(db, projectId),
    }),
    // A query rather than a command, because the only accepted input is the current state.
    query({
      id: 'setChangeRequestConfig',
      route: 'PUT /api/admin/projects/:projectId/environments/:environment/change-requests/config',
      summary: 'Disable change requests in an environment',
      description:
        'Halyard does not support change requests yet: `false` changes nothing, and `true` is rejected with 400. The operation exists because Unleash clients always send it.',
      permission: ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'],
      params: projectEnvironmentParams,
      body: ChangeRequestConfigInput,
      status: 204,
      read: ({ db }, { params: { projectId, environment }, body }) =>
        setChangeRequestConfig(db, projectId, environment, body),
    }),
  ],
};
