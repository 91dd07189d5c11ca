import { randomBytes } from 'node:crypto';
import { type Attack, json } from '../attack.ts';

const BROTLI = { 'accept-encoding': 'br' };
const PASSWORD = 'quite another horse battery 99';

/** Attacks without a valid credential. */
export const anonymousAttacks: Attack[] = [
  {
    name: 'API page script, left after 1 s',
    caller: 'anonymous',
    client: 'leaves',
    request: () => ({ path: '/docs/js/scalar.js', headers: BROTLI }),
  },
  {
    name: 'API document, never read',
    caller: 'anonymous',
    client: 'stalls',
    request: () => ({ path: '/docs/openapi.json' }),
  },
  {
    name: 'API document, compressed',
    caller: 'anonymous',
    request: () => ({ path: '/docs/openapi.json', headers: BROTLI }),
  },
  {
    name: 'metrics for Prometheus',
    caller: 'anonymous',
    request: () => ({ path: '/internal-backstage/prometheus' }),
  },
  {
    name: 'signups with one link',
    caller: 'anonymous',
    request: (n, { invitation }) => ({
      path: `/invite/${invitation}/signup`,
      ...json({ email: `harm-${process.pid}-${n}@example.com`, password: PASSWORD }),
    }),
  },
  {
    name: 'logins with wrong passwords',
    caller: 'anonymous',
    request: n => ({
      path: '/auth/simple/login',
      ...json({ username: `nobody-${n % 5_000}`, password: PASSWORD }),
    }),
  },
  {
    name: 'random tokens',
    caller: 'anonymous',
    request: () => ({
      path: '/api/admin/projects',
      headers: { authorization: `*:*.${randomBytes(24).toString('hex')}` },
    }),
  },
  {
    name: 'long query strings',
    caller: 'anonymous',
    request: n => ({ path: `/auth/methods?${'a=%61&'.repeat(1_900)}${n}` }),
  },
  {
    name: 'HEAD and OPTIONS',
    caller: 'anonymous',
    request: n => ({
      method: n % 2 === 0 ? 'HEAD' : 'OPTIONS',
      path: ['/docs/', '/api/admin/projects', '/'][n % 3] ?? '/',
    }),
  },
];
