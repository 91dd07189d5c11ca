import { ApiError, ENVIRONMENT_HINT, notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { ChangeRequestConfig, ChangeRequestConfigInput } from './schema.ts';
import { listEnvironmentTypes } from './store.ts';

/** Halyard does not have change requests yet, but Unleash clients read these settings before they write. */
export async function listChangeRequestConfigs(db: Reader, project: string): Promise<ChangeRequestConfig[]> {
  const environments = await listEnvironmentTypes(db, project);
  return environments.map(environment => ({
    ...environment,
    changeRequestEnabled: false,
    requiredApprovals: null,
  }));
}

/** Accepts "disabled", the only supported state, and rejects "enabled". Writes nothing. */
export async function setChangeRequestConfig(
  db: Reader,
  project: string,
  environment: string,
  { changeRequestsEnabled }: ChangeRequestConfigInput,
): Promise<void> {
  const environments = await listEnvironmentTypes(db, project);
  if (!environments.some(({ environment: name }) => name === environment))
    throw notFound(`Environment "${environment}" of project "${project}"`, ENVIRONMENT_HINT);
  if (changeRequestsEnabled) throw unsupportedError();
}

function unsupportedError(): ApiError {
  const message =
    'Halyard does not support change requests yet, so they cannot be enabled. Changes take effect immediately.';
  return new ApiError('BadDataError', message, {
    details: [{ message, path: '/body/changeRequestsEnabled' }],
  });
}
