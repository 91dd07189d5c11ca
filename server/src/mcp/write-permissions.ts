import type { Permission } from '../access/permissions.ts';

/** The permissions of the operations that a plan can contain. */
export const WRITE_PERMISSIONS: readonly Permission[] = [
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'UPDATE_FEATURE_ENVIRONMENT',
  'CREATE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
];
