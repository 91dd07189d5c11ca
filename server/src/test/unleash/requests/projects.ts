import { A, C, CONSTRAINT, FUTURE, get, P, project, ROLLOUT, setup } from './given.ts';
import type { Request, Step } from './step.ts';

/** Projects, environments and context fields. */
export const PROJECT_REQUESTS: Request[] = [
  // Projects and environments
  get(`${A}/projects`),
  get(`${P}/status`, { params: project }),
  get(`${P}/insights`, { params: project }),
  get(`${P}/applications`, { params: project }),
  get(`${P}/flag-creators`, { params: project }),
  {
    operation: `DELETE ${P}/environments/:environment`,
    params: { ...project, environment: 'production' },
    skip: ['unknown environment'],
  },
  {
    operation: `POST ${P}/environments`,
    params: project,
    body: { environment: 'production', changeRequestsEnabled: false },
    skip: ['without changeRequestsEnabled', 'wrong type of changeRequestsEnabled'],
  },
  {
    operation: `POST ${P}/environments`,
    params: project,
    body: { environment: 'production' },
    name: 'again',
    only: true,
  },
  {
    operation: `POST ${P}/environments`,
    params: project,
    body: { environment: 'unknown' },
    name: 'unknown environment',
    only: true,
  },
  {
    operation: `POST ${P}/environments/:environment/default-strategy`,
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
    operation: `POST ${P}/api-tokens`,
    params: project,
    body: { tokenName: 'token-{unique}', type: 'client', environment: 'development', expiresAt: FUTURE },
  },
  {
    operation: `DELETE ${P}/api-tokens/:token`,
    params: { ...project, token: '{projectToken}' },
    setupSteps: [
      {
        operation: `POST ${P}/api-tokens`,
        params: project,
        body: { tokenName: 'token-{unique}', type: 'client', environment: 'development' },
        keep: { projectToken: 'secret' },
      },
    ],
  },
  get(`${A}/environments`),
  get(`${A}/environments/:environment`, { params: { environment: 'development' } }),
  get(`${A}/environments/project/:projectId`, { params: project }),
  { operation: `PUT ${A}/environments/sort-order`, body: { development: 1, production: 2 } },
  { operation: `POST ${A}/environments/:environment/off`, params: { environment: 'production' } },
  { operation: `POST ${A}/environments/:environment/on`, params: { environment: 'production' } },

  // Context fields of the instance and of a project
  ...(
    [
      [`${A}/context`, {}],
      [C, project],
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
  get(`${A}/context/:contextField/strategies`, { params: { contextField: 'userId' } }),
];
