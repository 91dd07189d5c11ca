import type { Reader } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { ChangeRequestConfig, ChangeRequestConfigInput } from './schema.ts';
import { listPlaces } from './store.ts';

/** Change requests are not built: this is what is so, for clients that ask before they go on. */
export async function changeRequestConfigs(db: Reader, project: string): Promise<ChangeRequestConfig[]> {
  const places = await listPlaces(db, project);
  return places.map(place => ({ ...place, changeRequestEnabled: false, requiredApprovals: null }));
}

/** Accepts what is so already, and refuses what would have to be pretended. Writes nothing. */
export async function setChangeRequestConfig(
  db: Reader,
  project: string,
  environment: string,
  { changeRequestsEnabled }: ChangeRequestConfigInput,
): Promise<void> {
  const places = await listPlaces(db, project);
  if (!places.some(place => place.environment === environment)) {
    throw notFound(`Environment ${environment} of project ${project}`);
  }
  if (changeRequestsEnabled) throw notBuilt();
}

function notBuilt(): ApiError {
  const message =
    'Change requests are not part of Halyard yet, so they cannot be switched on. Changes take effect at once.';
  return new ApiError('BadDataError', message, {
    details: [{ message, path: '/body/changeRequestsEnabled' }],
  });
}
