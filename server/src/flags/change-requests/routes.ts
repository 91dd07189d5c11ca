import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { Nothing, Ref, refusals } from '../../platform/http/schema.ts';
import { changeRequestConfigs, setChangeRequestConfig } from './config.ts';
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
        summary: 'See where a project needs change requests',
        description:
          'One entry for each environment of the project, in their order. There are no change requests yet, so they are off in each.',
        params: Type.Object({ projectId }),
        response: {
          200: Type.Array(Ref(ChangeRequestConfig), {
            title: 'ChangeRequestConfigList',
            description: 'The environments',
          }),
          ...refusals(401, 403, 404),
        },
      },
    },
    async request => await changeRequestConfigs(db, request.params.projectId),
  );

  app.put(
    '/api/admin/projects/:projectId/environments/:environment/change-requests/config',
    {
      config: { permission: ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'] },
      schema: {
        operationId: 'setChangeRequestConfig',
        tags,
        summary: 'Switch change requests of an environment off',
        description:
          'There are no change requests yet: false is what is so and changes nothing, true is refused. For clients that send it in any case.',
        params: Type.Object({ projectId, environment }),
        body: ChangeRequestConfigInput,
        response: { 204: Nothing, ...refusals(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      const { projectId: project, environment: place } = request.params;
      await setChangeRequestConfig(db, project, place, request.body);
      return reply.code(204).send();
    },
  );
}
