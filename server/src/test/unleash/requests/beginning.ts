import {
  ADMIN_PATH,
  CONSTRAINT,
  ENVIRONMENT_PATH,
  flag,
  flagEnvironment,
  newFlag,
  STRATEGY,
  setup,
  token,
  user,
} from './given.ts';
import type { Request } from './step.ts';

/** Creates the resources that other requests depend on. */
export const SETUP_REQUESTS: Request[] = [
  ...setup(
    ...user('member', 1),
    ...user('viewer', 3),
    token('backend', 'client'),
    token('frontend', 'frontend'),
    newFlag('flag-a'),
    newFlag('flag-b'),
    newFlag('child'),
    {
      operation: `POST ${ADMIN_PATH}/segments`,
      body: { name: 'segment-a', constraints: [CONSTRAINT] },
      keep: { segment: 'id' },
    },
    {
      operation: `POST ${ENVIRONMENT_PATH}/strategies`,
      params: flagEnvironment,
      body: STRATEGY,
      keep: { strategy: 'id' },
    },
    {
      operation: `POST ${ENVIRONMENT_PATH}/strategies`,
      params: flagEnvironment,
      body: { name: 'default' },
      keep: { second: 'id' },
    },
    { operation: `POST ${ENVIRONMENT_PATH}/on`, params: flagEnvironment },
    {
      operation: `POST ${ADMIN_PATH}/features/:featureName/tags`,
      params: flag,
      body: { type: 'simple', value: 'red' },
    },
  ),
];
