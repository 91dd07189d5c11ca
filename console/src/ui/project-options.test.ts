import { expect, test } from 'vitest';
import { toProjectOptions } from './project-options.ts';

test('adds the ID to the names that several projects have', () => {
  const projects = [
    { id: 'web', name: 'Search' },
    { id: 'mobile', name: 'Search' },
    { id: 'payments', name: 'Payments' },
  ];

  expect(toProjectOptions(projects)).toEqual([
    { value: 'web', label: 'Search (web)' },
    { value: 'mobile', label: 'Search (mobile)' },
    { value: 'payments', label: 'Payments' },
  ]);
});
