import { ADMIN_PATH, CONSTRAINT, FUTURE, get, PASSWORD } from './given.ts';
import type { Request, Until } from './step.ts';

/** The instance, the playground, invitations, and what SDKs reported. */
export const INSTANCE_REQUESTS: (Request | Until)[] = [
  // Instance, playground, invitations
  get(`${ADMIN_PATH}/instance-admin/statistics`),
  { operation: `POST ${ADMIN_PATH}/ui-config/cors`, body: { frontendApiOrigins: ['*'] } },
  get(`${ADMIN_PATH}/maintenance`),
  { operation: `POST ${ADMIN_PATH}/maintenance`, body: { enabled: false } },
  { operation: `POST ${ADMIN_PATH}/constraints/validate`, body: CONSTRAINT },
  {
    operation: `POST ${ADMIN_PATH}/constraints/validate`,
    body: { contextName: 'userId', operator: 'NUM_GT', value: 'x' },
    name: 'invalid value',
    only: true,
  },
  {
    operation: `POST ${ADMIN_PATH}/playground`,
    body: { environment: 'development', projects: ['default'], context: { appName: 'shop', userId: '7' } },
  },
  {
    operation: `POST ${ADMIN_PATH}/playground/advanced`,
    body: { environments: ['development'], projects: ['default'], context: { appName: 'shop', userId: '7' } },
  },
  {
    operation: `POST ${ADMIN_PATH}/features-batch/validate`,
    body: {
      environment: 'development',
      project: 'default',
      data: {
        features: [{ name: 'imported', type: 'release' }],
        featureStrategies: [],
        featureEnvironments: [],
        contextFields: [],
        featureTags: [],
        segments: [],
        tagTypes: [],
        dependencies: [],
      },
    },
  },
  {
    operation: `POST ${ADMIN_PATH}/invite-link/tokens`,
    body: { name: 'invitation', expiresAt: FUTURE },
    keep: { invitation: 'secret' },
  },
  get(`${ADMIN_PATH}/invite-link/tokens`),
  get(`${ADMIN_PATH}/invite-link/tokens/:token`, { params: { token: '{invitation}' } }),
  {
    operation: `PUT ${ADMIN_PATH}/invite-link/tokens/:token`,
    params: { token: '{invitation}' },
    body: { enabled: true, expiresAt: FUTURE },
  },
  get('/invite/:token/validate', { as: 'nobody', params: { token: '{invitation}' } }),
  {
    operation: 'POST /invite/:token/signup',
    as: 'nobody',
    params: { token: '{invitation}' },
    body: { username: 'new-{unique}', email: 'new-{unique}@example.com', name: 'New', password: PASSWORD },
  },

  // What SDKs reported
  ...['shop', 'warehouse'].map(appName => ({
    until: {
      step: { operation: `GET ${ADMIN_PATH}/metrics/applications/:appName`, params: { appName } },
      contains: appName,
    },
  })),
  {
    until: {
      step: {
        operation: `GET ${ADMIN_PATH}/client-metrics/features/:featureName/raw`,
        params: { featureName: 'flag-a' },
      },
      contains: 'yes',
    },
  },
  {
    until: {
      step: { operation: `GET ${ADMIN_PATH}/metrics/unknown-flags` },
      contains: 'flag-nobody-created',
    },
  },
  get(`${ADMIN_PATH}/metrics/applications`),
  get(`${ADMIN_PATH}/metrics/applications/:appName`, { params: { appName: 'shop' } }),
  get(`${ADMIN_PATH}/metrics/unknown-flags`),
  get(`${ADMIN_PATH}/client-metrics/features/:featureName`, { params: { featureName: 'flag-a' } }),
  get(`${ADMIN_PATH}/client-metrics/features/:featureName/raw`, { params: { featureName: 'flag-a' } }),
  { operation: `DELETE ${ADMIN_PATH}/metrics/applications/:appName`, params: { appName: 'warehouse' } },
];
