import { expect, test } from 'vitest';
import type { Feature } from '../features/queries.ts';
import { buildPlanTree, countMarks, markDifferences } from './plan.ts';
import type { ClonePlan } from './queries.ts';

const SOURCE = {
  environments: [],
  tags: [{ type: 'simple', value: 'q4' }],
  dependencies: [],
  links: [],
  children: [],
} as unknown as Feature; // The tree reads only these fields.

const createPlan = (rollout: string, overrides: Partial<ClonePlan['copies'][number]> = {}): ClonePlan => ({
  planId: 'x',
  permissions: [],
  obstacles: [],
  copies: [
    {
      source: { project: 'payments', feature: 'pay.now' },
      name: 'pay.copy',
      project: 'payments',
      type: 'release',
      impressionData: false,
      environments: [
        {
          name: 'production',
          from: 'staging',
          strategies: [
            {
              copyOf: 'a',
              name: 'flexibleRollout',
              disabled: false,
              sortOrder: 0,
              segments: [],
              constraints: [],
              variants: [],
              parameters: { rollout },
            },
          ],
          variants: [],
        },
      ],
      tags: [],
      dependencies: [],
      omitted: [],
      ...overrides,
    },
  ],
});

const tree = (plan: ClonePlan) => buildPlanTree(plan, SOURCE, new Map());

test('lists environments with their source and the audience of their strategies', () => {
  const [flag] = tree(createPlan('25'));

  expect(flag?.children).toMatchObject([
    { label: 'production', text: 'from staging', children: [{ label: 'Strategy', text: '25 % of users' }] },
  ]);
});

test('shows one line for a part that is omitted in several environments for the same reason', () => {
  const reason = 'A copy is disabled in every environment.';
  const [flag] = tree(
    createPlan('25', {
      environments: [],
      omitted: [
        { part: 'enabled', environment: 'development', reason },
        { part: 'enabled', environment: 'production', reason },
        { part: 'tags', environment: null, reason: 'The request does not include this part.' },
      ],
    }),
  );

  expect(flag?.children).toMatchObject([
    { label: 'Enabled in', text: 'development, production', reason },
    { label: 'Tags', text: 'simple:q4' },
  ]);
});

test('marks changed, new and removed lines', () => {
  const previousTree = tree(createPlan('25', { tags: [{ type: 'simple', value: 'q4' }] }));
  const currentTree = tree(
    createPlan('50', { dependencies: [{ feature: 'parent', enabled: true, variants: [] }] }),
  );

  const nodes = markDifferences(currentTree, previousTree);

  expect(countMarks(nodes)).toBe(3);
  expect(nodes[0]?.children).toMatchObject([
    {
      label: 'production',
      children: [{ mark: 'changed', previousText: '25 % of users', text: '50 % of users' }],
    },
    { label: 'Depends on', mark: 'new' },
    { label: 'Tags', mark: 'removed' },
  ]);
});

test('marks nothing if the plans are equal', () => {
  expect(countMarks(markDifferences(tree(createPlan('25')), tree(createPlan('25'))))).toBe(0);
});
