import type { Request, Step } from './step.ts';

export const PASSWORD = 'A long passphrase, 4 both!';
export const NEW_PASSWORD = 'Another long passphrase, 4 both!';
export const FUTURE = new Date(Date.now() + 86_400_000 * 20).toISOString();
export const START = new Date(Date.now() - 120_000).toISOString();
export const STOP = new Date().toISOString();

export const ADMIN_PATH = '/api/admin';
export const PROJECT_PATH = `${ADMIN_PATH}/projects/:projectId`;
export const FEATURE_PATH = `${PROJECT_PATH}/features/:featureName`;
export const ENVIRONMENT_PATH = `${FEATURE_PATH}/environments/:environment`;
export const CONTEXT_PATH = `${PROJECT_PATH}/context`;

export const project = { projectId: 'default' };
export const flag = { ...project, featureName: 'flag-a' };
export const flagEnvironment = { ...flag, environment: 'development' };
export const strategy = { ...flagEnvironment, strategyId: '{strategy}' };

export const CONSTRAINT = { contextName: 'userId', operator: 'IN', values: ['7'] };
export const ROLLOUT = { rollout: '50', stickiness: 'default', groupId: 'flag-a' };
export const STRATEGY = {
  name: 'flexibleRollout',
  title: 'Half of all users',
  disabled: false,
  sortOrder: 3,
  parameters: ROLLOUT,
  constraints: [CONSTRAINT],
  variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  segments: ['{segment}'],
};
export const BUCKET = {
  start: START,
  stop: STOP,
  toggles: {
    'flag-a': { yes: 3, no: 1, variants: { blue: 2 } },
    'flag-nobody-created': { yes: 1, no: 0, variants: {} },
  },
};

export const newFlag = (name: string): Step => ({
  operation: `POST ${PROJECT_PATH}/features`,
  params: project,
  body: { name },
});
export const archivedFlag = (name: string): Step[] => [
  newFlag(name),
  { operation: `DELETE ${FEATURE_PATH}`, params: { ...project, featureName: name } },
];
export const setup = (...steps: Step[]): Request[] => steps.map(step => ({ ...step, isSetup: true }));
export const get = (path: string, options: Partial<Request> = {}): Request => ({
  operation: `GET ${path}`,
  ...options,
});
export const user = (name: string, rootRole: number): Step[] => [
  {
    operation: `POST ${ADMIN_PATH}/user-admin`,
    body: {
      username: name,
      email: `${name}@example.com`,
      name,
      rootRole,
      password: PASSWORD,
      sendEmail: false,
    },
    keep: { [`${name}Id`]: 'id' },
  },
  {
    operation: 'POST /auth/simple/login',
    body: { username: name, password: PASSWORD },
    as: 'nobody',
    keep: { [`${name}Cookie`]: 'cookie' },
  },
];
export const token = (name: string, type: string): Step => ({
  operation: `POST ${ADMIN_PATH}/api-tokens`,
  body: { tokenName: name, type, environment: 'development', projects: ['default'] },
  keep: { [`${name}Token`]: 'secret' },
});
