import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, Nothing, Ref } from '../../platform/http/schema.ts';
import { listChangeRequestConfigs, setChangeRequestConfig } from './configure.ts';
import { ChangeRequestConfig, ChangeRequestConfigInput } from './schema.ts';

const tags = ['Environments'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});

export function changeRequestRoutes(app: App, db: Db): void {
  app.addSchema(ChangeRequestConfig);

  app.get(
    '/api/admin/projects/:projectId/change-requests/config',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getChangeRequestConfig',
        tags,
        summary: 'List the change request settings of a project',
        description:
          'Returns one entry for each environment of the project, in order. Halyard does not support change requests yet, so they are disabled in every environment. Every caller who may read the project may call it.',
        params: Type.Object({ projectId }),
        response: {
          200: Type.Array(Ref(ChangeRequestConfig), {
            title: 'ChangeRequestConfigList',
            description: 'The environments',
          }),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => await listChangeRequestConfigs(db, request.params.projectId),
  );

  app.put(
    '/api/admin/projects/:projectId/environments/:environment/change-requests/config',
    {
      config: { permission: ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'] },
      schema: {
        operationId: 'setChangeRequestConfig',
        tags,
        summary: 'Disable change requests in an environment',
        description:
          'Halyard does not support change requests yet: false changes nothing, true is rejected with 400. The operation exists for clients of Unleash that always send it. Requires UPDATE_PROJECT or PROJECT_CHANGE_REQUEST_WRITE.',
        params: Type.Object({ projectId, environment }),
        body: ChangeRequestConfigInput,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, environment: name } = request.params;
      await setChangeRequestConfig(db, project, name, request.body);
      return reply.code(204).send();
    },
  );
}
