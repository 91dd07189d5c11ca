import { expect, test } from 'vitest';
import type { Change, Explanation } from './queries.ts';
import { describeDecision, describeMismatch, describeSideEffects } from './words.ts';

const EXPLANATION: Explanation = {
  subject: { id: 7, name: 'dora', kind: 'user' },
  permission: 'UPDATE_FEATURE_ENVIRONMENT',
  project: { id: 'payments', name: 'Payments', mode: 'open' },
  environment: 'production',
  allowed: true,
  reason: 'role',
  summary: '',
  paths: [],
  otherRoles: [],
  roles: [],
  changes: [],
  grantors: [],
};
const decisionFor = (change: Partial<Explanation>) => describeDecision({ ...EXPLANATION, ...change });

test.each<[Partial<Explanation>, string]>([
  [{}, 'dora may enable and disable flags in production of Payments.'],
  [{ permission: 'READ_PROJECT_API_TOKEN', environment: null }, 'dora may read API tokens in Payments.'],
  [
    { allowed: false, reason: 'lacks-permission', project: null, environment: null },
    'dora may not enable or disable flags on the instance.',
  ],
  [
    {
      allowed: false,
      reason: 'lacks-permission',
      environment: null,
      otherRoles: [
        {
          role: { id: 9, name: 'Tester', type: 'custom' },
          project: 'payments',
          group: null,
          grantedBy: null,
          grantedAt: null,
          why: 'other-environments',
          environments: ['development'],
        },
      ],
    },
    'dora may enable and disable flags only in some environments of Payments.',
  ],
  [
    { permission: null, reason: 'everyone', project: null, environment: null },
    'dora may log in and read every project that is not private.',
  ],
  [{ permission: null, reason: 'everyone' }, 'dora may read Payments.'],
  [
    { allowed: false, reason: 'cannot-read-project' },
    'dora cannot read Payments, because the project is private and dora has no role in it.',
  ],
  [{ allowed: false, reason: 'deactivated' }, 'dora is deactivated and cannot do anything.'],
])('describes the decision for %j', (change, sentence) => {
  expect(decisionFor(change)).toBe(sentence);
});

const CHANGE: Change = {
  kind: 'grant-project-role',
  role: { id: 5, name: 'Member', type: 'project' },
  group: null,
  alsoGrants: [],
  otherProjects: 0,
  replaces: null,
  loses: [],
};

test('lists every side effect of a change', () => {
  const role = { id: 3, name: 'Viewer', type: 'root' as const };

  expect(describeSideEffects(CHANGE, 'CREATE_FEATURE')).toBe('Grants nothing else');
  expect(describeSideEffects(CHANGE, 'ADMIN')).toBe('Grants every permission on the whole instance');
  expect(
    describeSideEffects(
      { ...CHANGE, alsoGrants: [{ permission: 'CREATE_FEATURE' }], otherProjects: 2 },
      'DELETE_FEATURE',
    ),
  ).toBe('Also grants 1 other permission; the group also has roles in 2 other projects');
  expect(
    describeSideEffects(
      { ...CHANGE, alsoGrants: [{ permission: 'ADMIN' }], replaces: role, loses: ['READ_LOGS'] },
      null,
    ),
  ).toBe('Grants every permission on the whole instance; replaces the Viewer role; loses 1 permission');
});

test('says why a role does not grant the permission', () => {
  const otherRole = { ...CHANGE, project: null, group: null, grantedAt: null, grantedBy: null };
  expect(
    describeMismatch({ ...otherRole, why: 'other-environments', environments: ['development', 'staging'] }),
  ).toBe('covers only development, staging');
  expect(describeMismatch({ ...otherRole, why: 'lacks-permission', environments: [] })).toBe(
    'does not include it',
  );
});
