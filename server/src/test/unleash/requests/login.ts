import { get, PASSWORD, setup } from './given.ts';
import type { Request } from './step.ts';

export const LOGIN_REQUESTS: Request[] = [
  get('/health', { as: 'nobody' }),
  get('/ready', { as: 'nobody' }),
  get('/internal-backstage/prometheus', { as: 'nobody' }),
  get('/internal-backstage/impact/metrics', { as: 'nobody' }),
  get('/docs/openapi.json', { as: 'nobody' }),
  { operation: 'POST /auth/simple/login', as: 'nobody', body: { username: 'member', password: PASSWORD } },
  {
    operation: 'POST /auth/simple/login',
    as: 'nobody',
    body: { username: 'member', password: 'wrong' },
    name: 'wrong password',
    only: true,
  },
  {
    operation: 'POST /logout',
    as: 'member',
    only: true,
    setupSteps: [
      {
        operation: 'POST /auth/simple/login',
        as: 'nobody',
        body: { username: 'member', password: PASSWORD },
        keep: { memberCookie: 'cookie' },
      },
    ],
  },
  ...setup({
    operation: 'POST /auth/simple/login',
    as: 'nobody',
    body: { username: 'member', password: PASSWORD },
    keep: { memberCookie: 'cookie' },
  }),
  get('/auth/reset/validate', { as: 'nobody', query: '?token=unknown', name: 'unknown token' }),
  get('/auth/reset/validate', { as: 'nobody', name: 'without the token', only: true }),
  {
    operation: 'POST /auth/reset/password',
    as: 'nobody',
    body: { token: 'unknown', password: PASSWORD },
    name: 'unknown token',
  },
  { operation: 'POST /auth/reset/validate-password', as: 'nobody', body: { password: PASSWORD } },
  {
    operation: 'POST /auth/reset/validate-password',
    as: 'nobody',
    body: { password: 'a' },
    name: 'weak password',
    only: true,
  },
  {
    operation: 'POST /auth/reset/password-email',
    as: 'nobody',
    body: { email: 'nobody@example.com' },
    name: 'unknown address',
  },
];
