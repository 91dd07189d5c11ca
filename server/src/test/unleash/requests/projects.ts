import {
  ADMIN_PATH,
  CONSTRAINT,
  CONTEXT_PATH,
  FUTURE,
  get,
  PROJECT_PATH,
  project,
  ROLLOUT,
  setup,
} from './given.ts';
import type { Request, Step } from './step.ts';

/** Projects, environments and context fields. */
export const PROJECT_REQUESTS: Request[] = [
  // Projects and environments
  get(`${ADMIN_PATH}/projects`),
  get(`${PROJECT_PATH}/status`, { params: project }),
  get(`${PROJECT_PATH}/insights`, { params: project }),
  get(`${PROJECT_PATH}/applications`, { params: project }),
  get(`${PROJECT_PATH}/flag-creators`, { params: project }),
  {
    operation: `DELETE ${PROJECT_PATH}/environments/:environment`,
    params: { ...project, environment: 'production' },
    skip: ['unknown environment'],
  },
  {
    operation: `POST ${PROJECT_PATH}/environments`,
    params: project,
    body: { environment: 'production', changeRequestsEnabled: false },
    skip: ['without changeRequestsEnabled', 'wrong type of changeRequestsEnabled'],
  },
  {
    operation: `POST ${PROJECT_PATH}/environments`,
    params: project,
    body: { environment: 'production' },
    name: 'again',
    only: true,
  },
  {
    operation: `POST ${PROJECT_PATH}/environments`,
    params: project,
    body: { environment: 'unknown' },
    name: 'unknown environment',
    only: true,
  },
  {
    operation: `POST ${PROJECT_PATH}/environments/:environment/default-strategy`,
    params: { ...project, environment: 'development' },
    body: {
      name: 'flexibleRollout',
      title: 'By default',
      disabled: false,
      parameters: ROLLOUT,
      constraints: [CONSTRAINT],
      segments: [],
    },
  },
  {
    operation: `POST ${PROJECT_PATH}/api-tokens`,
    params: project,
    body: { tokenName: 'token-{unique}', type: 'client', environment: 'development', expiresAt: FUTURE },
  },
  {
    operation: `DELETE ${PROJECT_PATH}/api-tokens/:token`,
    params: { ...project, token: '{projectToken}' },
    setupSteps: [
      {
        operation: `POST ${PROJECT_PATH}/api-tokens`,
        params: project,
        body: { tokenName: 'token-{unique}', type: 'client', environment: 'development' },
        keep: { projectToken: 'secret' },
      },
    ],
  },
  get(`${ADMIN_PATH}/environments`),
  get(`${ADMIN_PATH}/environments/:environment`, { params: { environment: 'development' } }),
  get(`${ADMIN_PATH}/environments/project/:projectId`, { params: project }),
  { operation: `PUT ${ADMIN_PATH}/environments/sort-order`, body: { development: 1, production: 2 } },
  { operation: `POST ${ADMIN_PATH}/environments/:environment/off`, params: { environment: 'production' } },
  { operation: `POST ${ADMIN_PATH}/environments/:environment/on`, params: { environment: 'production' } },

  // Context fields of the instance and of a project
  ...(
    [
      [`${ADMIN_PATH}/context`, {}],
      [CONTEXT_PATH, project],
    ] as const
  ).flatMap(([path, params], index): Request[] => {
    const field = { ...params, contextField: `field-${index}` };
    const create: Step = {
      operation: `POST ${path}`,
      params,
      body: {
        name: 'field-{unique}',
        description: 'A field',
        stickiness: true,
        sortOrder: 5,
        legalValues: [{ value: 'a', description: 'The first' }],
      },
    };
    const fieldNamed = (name: string): Step => ({ ...create, body: { name, legalValues: [{ value: 'a' }] } });
    return [
      ...setup(fieldNamed(`field-${index}`)),
      get(path, { params }),
      create,
      { ...fieldNamed(`field-${index}`), name: 'taken name', only: true },
      get(`${path}/:contextField`, { params: field }),
      {
        operation: `PUT ${path}/:contextField`,
        params: field,
        body: { description: 'Changed', stickiness: true, sortOrder: 6, legalValues: [{ value: 'a' }] },
      },
      {
        operation: `POST ${path}/:contextField/legal-values`,
        params: field,
        body: { value: 'b', description: 'The second' },
      },
      {
        operation: `DELETE ${path}/:contextField/legal-values/:legalValue`,
        params: { ...field, legalValue: 'b' },
      },
      { operation: `POST ${path}/validate`, params, body: { name: 'field-{unique}' } },
      {
        operation: `POST ${path}/validate`,
        params,
        body: { name: `field-${index}` },
        name: 'taken name',
        only: true,
      },
      {
        operation: `DELETE ${path}/:contextField`,
        params: { ...params, contextField: 'field-{unique}' },
        setupSteps: [fieldNamed('field-{unique}')],
      },
    ];
  }),
  get(`${ADMIN_PATH}/context/:contextField/strategies`, { params: { contextField: 'userId' } }),
];
