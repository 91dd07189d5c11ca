import { A, FUTURE, get, NEW_PASSWORD, PASSWORD } from './given.ts';
import type { Request } from './step.ts';

/** Integrations, API tokens and users. */
export const PEOPLE_REQUESTS: Request[] = [
  // Integrations: Unleash resolves the receiver's host name, so only the list works without a network
  get(`${A}/addons`),

  // API tokens
  {
    operation: `POST ${A}/api-tokens`,
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
    operation: `PUT ${A}/api-tokens/:token`,
    params: { token: '{changedToken}' },
    body: { expiresAt: FUTURE },
  },
  { operation: `DELETE ${A}/api-tokens/:token`, params: { token: '{changedToken}' } },

  // Users
  get(`${A}/user-admin`),
  {
    operation: `POST ${A}/user-admin`,
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
    operation: `POST ${A}/user-admin`,
    body: { username: 'member', rootRole: 3 },
    name: 'taken name',
    only: true,
  },
  get(`${A}/user-admin/:id`, { params: { id: '{user}' } }),
  {
    operation: `PUT ${A}/user-admin/:id`,
    params: { id: '{user}' },
    body: { name: 'Changed', email: 'changed@example.com', rootRole: 2 },
  },
  {
    operation: `POST ${A}/user-admin/:id/change-password`,
    params: { id: '{user}' },
    body: { password: NEW_PASSWORD },
  },
  { operation: `POST ${A}/user-admin/reset-password`, body: { id: 'changed@example.com' } },
  {
    operation: `POST ${A}/user-admin/reset-password`,
    body: { id: 'nobody@example.com' },
    name: 'unknown address',
    only: true,
  },
  get(`${A}/user-admin/:id/permissions`, { params: { id: '{user}' } }),
  get(`${A}/user-admin/search`, { query: '?q=member' }),
  get(`${A}/user-admin/access`),
  get(`${A}/user-admin/admin-count`),
  { operation: `POST ${A}/user-admin/validate-password`, body: { password: PASSWORD } },
  {
    operation: `POST ${A}/user-admin/validate-password`,
    body: { password: 'a' },
    name: 'weak password',
    only: true,
  },
  get(`${A}/user-admin/inactive`),
  { operation: `POST ${A}/user-admin/inactive/delete`, body: { ids: [] } },
  { operation: `DELETE ${A}/user-admin/:id`, params: { id: '{user}' } },
  get(`${A}/user`, { as: 'member' }),
  get(`${A}/user/profile`, { as: 'member' }),
  get(`${A}/user/roles`, { as: 'member', query: '?projectId=default' }),
  get(`${A}/user/tokens`, { as: 'member' }),
  {
    operation: `POST ${A}/user/tokens`,
    as: 'member',
    body: { description: 'laptop-{unique}', expiresAt: FUTURE },
    keep: { personal: 'id' },
  },
  { operation: `DELETE ${A}/user/tokens/:id`, as: 'member', params: { id: '{personal}' } },
  {
    operation: `POST ${A}/user/change-password`,
    as: 'member',
    body: { oldPassword: PASSWORD, password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
    skip: ['without confirmPassword'],
  },
];
