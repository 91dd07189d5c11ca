import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { App } from '../../platform/http/app.ts';
import { page, SearchQuery } from '../../platform/http/filter.ts';
import { errorResponses, jsonResponse, Nothing } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { removeApplication, updateApplication } from './change.ts';
import {
  Application,
  ApplicationDetails,
  ApplicationEnvironment,
  ApplicationFields,
  ApplicationInstance,
  ApplicationList,
  ApplicationOverview,
  ApplicationUsage,
  InstanceList,
  ProjectApplication,
  ProjectApplicationList,
  UnknownFlag,
  UnknownFlagList,
} from './schema.ts';
import { parseApplicationSearch, parseProjectApplicationSearch } from './search-query.ts';
import {
  existsApplication,
  findApplication,
  findOverview,
  listInstances,
  listUnknownFlags,
  searchApplications,
  searchProjectApplications,
} from './store.ts';

const tags = ['Applications'];
const HERE = '/api/admin/metrics/applications/:appName';
const MOST_UNKNOWN = 1_000;

const appName = Type.String({
  maxLength: 200,
  description: 'Name of the application',
  examples: ['checkout'],
});
const params = Type.Object({ appName });
const query = Type.Optional(
  Type.String({ description: 'A part of the name, case-insensitive', examples: ['check'] }),
);
const sortOrder = Type.Optional(
  Type.String({ description: 'asc or desc', default: 'asc', examples: ['desc'] }),
);

/** A missing value is an absent field. */
const withoutNulls = <T extends object>(row: T) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

export function applicationRoutes(app: App, db: Db): void {
  for (const schema of [
    ApplicationUsage,
    Application,
    ApplicationList,
    ApplicationInstance,
    ApplicationDetails,
    ApplicationEnvironment,
    ApplicationOverview,
    InstanceList,
    ProjectApplication,
    ProjectApplicationList,
    UnknownFlag,
    UnknownFlagList,
  ])
    app.addSchema(schema);

  app.get(
    '/api/admin/metrics/applications',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getApplications',
        tags,
        summary: 'List applications',
        description:
          'Returns the applications whose SDKs were seen, with the projects and environments that they use. Projects that the caller may not read are omitted, and so are applications that asked only for features of such projects.',
        querystring: SearchQuery({
          query,
          project: Type.Optional(
            Type.String({
              description: 'Only applications that asked for a feature of this project',
              examples: ['payments'],
            }),
          ),
          sortBy: Type.Optional(
            Type.String({
              description: 'appName, createdAt or lastSeenAt',
              default: 'appName',
              examples: ['lastSeenAt'],
            }),
          ),
          sortOrder,
          ...page,
        }),
        response: {
          200: jsonResponse('The applications', ApplicationList),
          ...errorResponses(400, 401, 403),
        },
      },
    },
    async request => {
      const search = parseApplicationSearch(request.query);
      const { applications, total } = await searchApplications(db, request.actor, search);
      return { total, applications: applications.map(row => withoutNulls(row) as Application) };
    },
  );

  app.get(
    '/api/admin/projects/:projectId/applications',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getProjectApplications',
        tags,
        summary: 'List the applications of a project',
        description:
          'Returns the applications that asked for features of a project in the last 90 days, by name, with their environments, instances and SDKs. Every caller who may read the project may call it.',
        params: Type.Object({
          projectId: Type.String({ description: 'Id of the project', examples: ['default'] }),
        }),
        querystring: SearchQuery({
          query,
          sortBy: Type.Optional(
            Type.String({ description: 'appName', default: 'appName', examples: ['appName'] }),
          ),
          sortOrder,
          ...page,
        }),
        response: {
          200: jsonResponse('The applications', ProjectApplicationList),
          ...errorResponses(400, 401, 403, 404),
        },
      },
    },
    async ({ params: { projectId }, query: given }) =>
      await searchProjectApplications(db, projectId, parseProjectApplicationSearch(given)),
  );

  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getApplication',
        tags,
        summary: 'Get an application',
        description:
          'Returns an application with its instances and the features that it asked for. Features that the caller may not read are omitted.',
        params,
        response: {
          200: jsonResponse('The application', ApplicationDetails),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => {
      const found = await findApplication(db, request.actor, request.params.appName);
      if (!found) throw notFound(`Application "${request.params.appName}"`);
      return withoutNulls(found) as ApplicationDetails;
    },
  );

  app.get(
    `${HERE}/overview`,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getApplicationOverview',
        tags,
        summary: 'Get the overview of an application',
        description:
          'Returns what an application uses in each environment: instances, SDKs, and names that it asks for although no feature has them.',
        params,
        response: {
          200: jsonResponse('The overview', ApplicationOverview),
          ...errorResponses(401, 403, 404),
        },
      },
    },
    async request => {
      const found = await findOverview(db, request.actor, request.params.appName);
      if (!found) throw notFound(`Application "${request.params.appName}"`);
      const { missingStrategies, ...overview } = found;
      return { ...overview, issues: { missingStrategies } };
    },
  );

  app.post(
    HERE,
    {
      config: { permission: ['UPDATE_APPLICATION'] },
      schema: {
        operationId: 'updateApplication',
        tags,
        summary: 'Describe an application',
        description:
          'Sets the description, address, icon and color of an application. Omitted fields keep their value, null removes it. Requires UPDATE_APPLICATION. Events: application-updated.',
        params,
        body: ApplicationFields,
        response: { 202: Nothing, ...errorResponses(400, 401, 403, 404, 413, 415) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current =>
        updateApplication(current, request.params.appName, request.body),
      );
      return reply.code(202).send();
    },
  );

  app.delete(
    HERE,
    {
      config: { permission: ['UPDATE_APPLICATION'] },
      schema: {
        operationId: 'deleteApplication',
        tags,
        summary: 'Delete an application',
        description:
          'Deletes an application with its instances. An application that still runs is created again. Requires UPDATE_APPLICATION. Events: application-deleted.',
        params,
        response: { 200: Nothing, ...errorResponses(401, 403, 404) },
      },
    },
    async (request, reply) => {
      await change(db, request.actor, current => removeApplication(current, request.params.appName));
      return reply.code(200).send();
    },
  );

  app.get(
    '/api/admin/metrics/instances/:appName/environment/:environmentName',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getApplicationInstances',
        tags,
        summary: 'List instances of an application',
        description:
          'Returns the instances of an application in an environment, those that were seen last first.',
        params: Type.Object({
          appName,
          environmentName: Type.String({
            maxLength: 100,
            description: 'Name of the environment',
            examples: ['production'],
          }),
        }),
        response: { 200: jsonResponse('The instances', InstanceList), ...errorResponses(401, 403, 404) },
      },
    },
    async request => {
      const { appName, environmentName } = request.params;
      const instances = await listInstances(db, request.actor, appName, environmentName);
      if (instances.length === 0 && !(await existsApplication(db, request.actor, appName)))
        throw notFound(`Application "${appName}"`);
      return { instances };
    },
  );

  app.get(
    '/api/admin/metrics/unknown-flags',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getUnknownFlags',
        tags,
        summary: 'List unknown flags',
        description:
          'Returns the names that applications asked for in the last 7 days and that no feature has, with the applications and environments. Applications that the caller may not see are omitted.',
        response: { 200: jsonResponse('The unknown flags', UnknownFlagList), ...errorResponses(401, 403) },
      },
    },
    async ({ actor }) => ({ unknownFlags: await listUnknownFlags(db, actor, MOST_UNKNOWN) }),
  );
}
