import { ADMIN_PATH, FUTURE, get, NEW_PASSWORD, PASSWORD } from './given.ts';
import type { Request } from './step.ts';

/** Integrations, API tokens and users. */
export const PEOPLE_REQUESTS: Request[] = [
  // Integrations: Unleash resolves the receiver's host name, so only the list works without a network
  get(`${ADMIN_PATH}/addons`),

  // API tokens
  {
    operation: `POST ${ADMIN_PATH}/api-tokens`,
    body: {
      tokenName: 'token-{unique}',
      type: 'client',
      environment: 'development',
      projects: ['default'],
      expiresAt: FUTURE,
    },
    keep: { changedToken: 'secret' },
  },
  {
    operation: `PUT ${ADMIN_PATH}/api-tokens/:token`,
    params: { token: '{changedToken}' },
    body: { expiresAt: FUTURE },
  },
  { operation: `DELETE ${ADMIN_PATH}/api-tokens/:token`, params: { token: '{changedToken}' } },

  // Users
  get(`${ADMIN_PATH}/user-admin`),
  {
    operation: `POST ${ADMIN_PATH}/user-admin`,
    body: {
      username: 'user-{unique}',
      email: 'user-{unique}@example.com',
      name: 'A User',
      rootRole: 3,
      password: PASSWORD,
      sendEmail: false,
    },
    keep: { user: 'id' },
  },
  {
    operation: `POST ${ADMIN_PATH}/user-admin`,
    body: { username: 'member', rootRole: 3 },
    name: 'taken name',
    only: true,
  },
  get(`${ADMIN_PATH}/user-admin/:id`, { params: { id: '{user}' } }),
  {
    operation: `PUT ${ADMIN_PATH}/user-admin/:id`,
    params: { id: '{user}' },
    body: { name: 'Changed', email: 'changed@example.com', rootRole: 2 },
  },
  {
    operation: `POST ${ADMIN_PATH}/user-admin/:id/change-password`,
    params: { id: '{user}' },
    body: { password: NEW_PASSWORD },
  },
  { operation: `POST ${ADMIN_PATH}/user-admin/reset-password`, body: { id: 'changed@example.com' } },
  {
    operation: `POST ${ADMIN_PATH}/user-admin/reset-password`,
    body: { id: 'nobody@example.com' },
    name: 'unknown address',
    only: true,
  },
  get(`${ADMIN_PATH}/user-admin/:id/permissions`, { params: { id: '{user}' } }),
  get(`${ADMIN_PATH}/user-admin/search`, { query: '?q=member' }),
  get(`${ADMIN_PATH}/user-admin/access`),
  get(`${ADMIN_PATH}/user-admin/admin-count`),
  { operation: `POST ${ADMIN_PATH}/user-admin/validate-password`, body: { password: PASSWORD } },
  {
    operation: `POST ${ADMIN_PATH}/user-admin/validate-password`,
    body: { password: 'a' },
    name: 'weak password',
    only: true,
  },
  get(`${ADMIN_PATH}/user-admin/inactive`),
  { operation: `POST ${ADMIN_PATH}/user-admin/inactive/delete`, body: { ids: [] } },
  { operation: `DELETE ${ADMIN_PATH}/user-admin/:id`, params: { id: '{user}' } },
  get(`${ADMIN_PATH}/user`, { as: 'member' }),
  get(`${ADMIN_PATH}/user/profile`, { as: 'member' }),
  get(`${ADMIN_PATH}/user/roles`, { as: 'member', query: '?projectId=default' }),
  get(`${ADMIN_PATH}/user/tokens`, { as: 'member' }),
  {
    operation: `POST ${ADMIN_PATH}/user/tokens`,
    as: 'member',
    body: { description: 'laptop-{unique}', expiresAt: FUTURE },
    keep: { personal: 'id' },
  },
  { operation: `DELETE ${ADMIN_PATH}/user/tokens/:id`, as: 'member', params: { id: '{personal}' } },
  {
    operation: `POST ${ADMIN_PATH}/user/change-password`,
    as: 'member',
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
    skip: ['without confirmPassword'],
  },
];
