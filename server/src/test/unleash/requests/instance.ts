import { A, CONSTRAINT, FUTURE, get, PASSWORD } from './given.ts';
import type { Request, Until } from './step.ts';

/** The instance, the playground, invitations, and what SDKs reported. */
export const INSTANCE_REQUESTS: (Request | Until)[] = [
  // Instance, playground, invitations
  get(`${A}/instance-admin/statistics`),
  { operation: `POST ${A}/ui-config/cors`, body: { frontendApiOrigins: ['*'] } },
  get(`${A}/maintenance`),
  { operation: `POST ${A}/maintenance`, body: { enabled: false } },
  { operation: `POST ${A}/constraints/validate`, body: CONSTRAINT },
  {
    operation: `POST ${A}/constraints/validate`,
    body: { contextName: 'userId', operator: 'NUM_GT', value: 'x' },
    name: 'invalid value',
    only: true,
  },
  {
    operation: `POST ${A}/playground`,
    body: { environment: 'development', projects: ['default'], context: { appName: 'shop', userId: '7' } },
  },
  {
    operation: `POST ${A}/playground/advanced`,
    body: { environments: ['development'], projects: ['default'], context: { appName: 'shop', userId: '7' } },
  },
  {
    operation: `POST ${A}/features-batch/validate`,
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
    operation: `POST ${A}/invite-link/tokens`,
    body: { name: 'invitation', expiresAt: FUTURE },
    keep: { invitation: 'secret' },
  },
  get(`${A}/invite-link/tokens`),
  get(`${A}/invite-link/tokens/:token`, { params: { token: '{invitation}' } }),
  {
    operation: `PUT ${A}/invite-link/tokens/:token`,
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
      step: { operation: `GET ${A}/metrics/applications/:appName`, params: { appName } },
      contains: appName,
    },
  })),
  {
    until: {
      step: {
        operation: `GET ${A}/client-metrics/features/:featureName/raw`,
        params: { featureName: 'flag-a' },
      },
      contains: 'yes',
    },
  },
  { until: { step: { operation: `GET ${A}/metrics/unknown-flags` }, contains: 'flag-nobody-created' } },
  get(`${A}/metrics/applications`),
  get(`${A}/metrics/applications/:appName`, { params: { appName: 'shop' } }),
  get(`${A}/metrics/unknown-flags`),
  get(`${A}/client-metrics/features/:featureName`, { params: { featureName: 'flag-a' } }),
  get(`${A}/client-metrics/features/:featureName/raw`, { params: { featureName: 'flag-a' } }),
  { operation: `DELETE ${A}/metrics/applications/:appName`, params: { appName: 'warehouse' } },
];
