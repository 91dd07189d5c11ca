import { notFound } from '@halyard/plane/platform/errors.ts';
import { page, SearchQuery } from '@halyard/plane/platform/http/input/filter.ts';
import { jsonResponse, Optional } from '@halyard/plane/platform/http/schema.ts';
import { Type } from 'typebox';
import { projectParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { removeApplication, updateApplication } from './change.ts';
import {
  ApiTokenUse,
  ApiTokenUseList,
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
import { parseApplicationSearch, parseProjectApplicationSearch, parseTokenId } from './search-query.ts';
import {
  applicationExists,
  findApplication,
  findOverview,
  listInstances,
  listTokenApplications,
  listUnknownFlags,
  searchApplications,
  searchProjectApplications,
} from './store.ts';

const BASE_PATH = '/api/admin/metrics/applications/:appName';
const MAX_UNKNOWN_FLAGS = 1_000;

const appName = Type.String({
  maxLength: 200,
  description: 'Name of the application',
  examples: ['checkout'],
});
const params = Type.Object({ appName });
const partOfName = Optional.String({
  description: 'Part of the name, case-insensitive',
  examples: ['check'],
});
const sortOrder = Optional.String({ description: 'asc or desc', default: 'asc', examples: ['desc'] });

export const APPLICATIONS: OperationModule = {
  tag: 'Applications',
  schemas: [
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
    ApiTokenUse,
    ApiTokenUseList,
    UnknownFlag,
    UnknownFlagList,
  ],
  operations: [
    query({
      id: 'getApplications',
      route: 'GET /api/admin/metrics/applications',
      summary: 'List applications',
      description:
        'Returns the applications whose SDKs were seen, with the projects and environments that they use. Projects that the caller cannot read are omitted, as are applications that requested only features of such projects.',
      permission: 'NONE',
      query: SearchQuery({
        query: partOfName,
        project: Optional.String({
          description: 'Only applications that requested a feature of this project',
          examples: ['payments'],
        }),
        sortBy: Optional.String({
          description: 'appName, createdAt or lastSeenAt',
          default: 'appName',
          examples: ['lastSeenAt'],
        }),
        sortOrder,
        ...page,
      }),
      output: jsonResponse('The applications', ApplicationList),
      read: async ({ db, actor }, { query }) =>
        await searchApplications(db, actor, parseApplicationSearch(query)),
    }),
    query({
      id: 'getProjectApplications',
      route: 'GET /api/admin/projects/:projectId/applications',
      summary: 'List the applications of a project',
      description:
        'Returns the applications that requested features of a project in the last 90 days, by name, with their environments, instances and SDKs. Every caller who can read the project may call it.',
      permission: 'NONE',
      params: projectParams,
      query: SearchQuery({
        query: partOfName,
        sortBy: Optional.String({ description: 'appName', default: 'appName', examples: ['appName'] }),
        sortOrder,
        ...page,
      }),
      output: jsonResponse('The applications', ProjectApplicationList),
      read: async ({ db }, { params: { projectId }, query }) =>
        await searchProjectApplications(db, projectId, parseProjectApplicationSearch(query)),
    }),
    query({
      id: 'getApplication',
      route: `GET ${BASE_PATH}`,
      summary: 'Get an application',
      description:
        'Returns an application with its instances and the features that it requested. Features that the caller cannot read are omitted.',
      permission: 'NONE',
      params,
      output: jsonResponse('The application', ApplicationDetails),
      read: async ({ db, actor }, { params: { appName } }) => {
        const application = await findApplication(db, actor, appName);
        if (!application) throw notFound(`Application "${appName}"`);
        return application;
      },
    }),
    query({
      id: 'getApplicationOverview',
      route: `GET ${BASE_PATH}/overview`,
      summary: 'Get the overview of an application',
      description:
        'Returns the instances and SDKs of an application in each environment, and the names that it requests but that no feature has.',
      permission: 'NONE',
      params,
      output: jsonResponse('The overview', ApplicationOverview),
      read: async ({ db, actor }, { params: { appName } }) => {
        const foundOverview = await findOverview(db, actor, appName);
        if (!foundOverview) throw notFound(`Application "${appName}"`);
        const { missingStrategies, ...overview } = foundOverview;
        return { ...overview, issues: { missingStrategies } };
      },
    }),
    command({
      id: 'updateApplication',
      route: `POST ${BASE_PATH}`,
      summary: 'Update an application',
      description:
        'Sets the description, URL, icon and color of an application. Omitted fields keep their values, and null removes a value.',
      permission: ['UPDATE_APPLICATION'],
      params,
      body: ApplicationFields,
      status: 202,
      events: ['application-updated'],
      run: (current, { params: { appName }, body }) => updateApplication(current, appName, body),
    }),
    command({
      id: 'deleteApplication',
      route: `DELETE ${BASE_PATH}`,
      summary: 'Delete an application',
      description:
        'Deletes an application with its instances. An application that is still running is created again.',
      permission: ['UPDATE_APPLICATION'],
      params,
      events: ['application-deleted'],
      run: (current, { params: { appName } }) => removeApplication(current, appName),
    }),
    query({
      id: 'getApplicationInstances',
      route: 'GET /api/admin/metrics/instances/:appName/environment/:environmentName',
      summary: 'List instances of an application',
      description: 'Returns the instances of an application in an environment, most recently seen first.',
      permission: 'NONE',
      params: Type.Object({
        appName,
        environmentName: Type.String({
          maxLength: 100,
          description: 'Name of the environment',
          examples: ['production'],
        }),
      }),
      output: jsonResponse('The instances', InstanceList),
      read: async ({ db, actor }, { params: { appName, environmentName } }) => {
        const instances = await listInstances(db, actor, appName, environmentName);
        if (instances.length === 0 && !(await applicationExists(db, actor, appName)))
          throw notFound(`Application "${appName}"`);
        return { instances };
      },
    }),
    query({
      id: 'getApiTokenUse',
      route: 'GET /api/admin/metrics/api-tokens',
      summary: 'List the applications that use API tokens',
      description:
        'Returns, for each API token, the applications with instances that last used it, if they were seen in the last two days. Unused tokens are omitted, as are applications that the caller cannot see.',
      permission: 'NONE',
      query: SearchQuery({
        token: Optional.String({ description: 'Id of an API token', examples: ['12'] }),
      }),
      output: jsonResponse('The tokens', ApiTokenUseList),
      read: async ({ db, actor }, { query }) => ({
        tokens: await listTokenApplications(db, actor, parseTokenId(query)),
      }),
    }),
    query({
      id: 'getUnknownFlags',
      route: 'GET /api/admin/metrics/unknown-flags',
      summary: 'List unknown flags',
      description:
        'Returns the names that applications requested in the last 7 days but that no feature has, with the applications and environments. Applications that the caller cannot see are omitted.',
      permission: 'NONE',
      output: jsonResponse('The unknown flags', UnknownFlagList),
      read: async ({ db, actor }) => ({ unknownFlags: await listUnknownFlags(db, actor, MAX_UNKNOWN_FLAGS) }),
    }),
  ],
};
