import pg from 'pg';
import { ApiError, badData, nameExists } from '../errors.ts';

/** What a broken constraint means to a caller. A constraint that is missing here is a bug and gives a 500. */
const CONSTRAINTS: Record<string, () => ApiError> = {
  projects_pkey: () => nameExists('A project with this id'),
  users_username_key: () => nameExists('A user with this username'),
  users_email_key: () => nameExists('A user with this e-mail address'),
  personal_access_tokens_description_key: () => nameExists('A personal token with this description'),
  api_tokens_environment_fkey: () =>
    badData([{ message: 'environment does not exist', path: '/body/environment' }]),
  api_token_projects_project_id_fkey: () => goneMeanwhile('project'),
  project_environments_environment_name_fkey: () => goneMeanwhile('environment'),
  user_roles_project_fkey: () => goneMeanwhile('project'),
};

function goneMeanwhile(what: string): ApiError {
  return new ApiError('ConflictError', `The ${what} was deleted while this request was running.`);
}

// Statement and lock time-outs, no connection left, server going down, not there or not letting us in, disk full,
// deadlock, serialization: trying again later can help.
const TEMPORARY = /^(57014|55P03|55000|53\d{3}|57P0\d|08\w{3}|28\w{3}|3D000|40P01|40001|25P03)$/;
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);

/** Gives what the database refused the words of a refusal; undefined if it is nothing a caller can act on. */
export function asRefusal(error: unknown): ApiError | undefined {
  if (error instanceof pg.DatabaseError) {
    const known = error.constraint === undefined ? undefined : CONSTRAINTS[error.constraint];
    if (known) return Object.assign(known(), { cause: error });
    return TEMPORARY.test(error.code ?? '') ? unavailable(error) : undefined;
  }
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  // pg gives these two no code: no free connection in time, and a connection that broke during a query.
  const lost = /timeout exceeded when trying to connect|Connection terminated/.test(error.message);
  return NETWORK.has(code) || lost ? unavailable(error) : undefined;
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('ServiceUnavailableError', 'The database cannot answer just now. Try again shortly.', {
    cause,
  });
}
