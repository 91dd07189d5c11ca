import { ApiError, badData, nameExists, unknownEnvironment } from '@halyard/plane/platform/errors.ts';
import pg from 'pg';
import { READ_ONLY } from './client.ts';
import { isOutdatedStatement } from './prepared-statements.ts';

/**
 * The error for each constraint that a request can violate. Violating a constraint that is missing here is a bug and becomes a 500.
 */
const CONSTRAINTS: Record<string, (value: string) => ApiError> = {
  projects_pkey: name => nameExists(`Project "${name}"`),
  environments_pkey: name => nameExists(`Environment "${name}"`),
  project_environments_pkey: () => new ApiError('ConflictError', 'The project already has this environment.'),
  feature_environments_environment_fkey: () => deletionConflict('environment'),
  // Operations lock the feature, so a request violates the next three constraints only if an application has deleted rows with its
  // own SQL.
  feature_environments_feature_name_fkey: () => deletionConflict('feature'),
  feature_strategies_environment_fkey: () => deletionConflict('environment of the feature'),
  feature_strategy_segments_strategy_id_fkey: () => deletionConflict('strategy'),
  strategies_pkey: name => nameExists(`Strategy type "${name}"`),
  features_pkey: name =>
    new ApiError('NameExistsError', `Feature "${name}" already exists. Choose another name.`),
  feature_tags_tag_fkey: value =>
    badData([{ message: `the tag with the value "${value}" does not exist`, path: '/body' }]),
  feature_tags_feature_name_fkey: () => deletionConflict('feature'),
  feature_dependencies_child_fkey: () => deletionConflict('feature'),
  feature_dependencies_parent_fkey: () => deletionConflict('feature'),
  feature_links_feature_name_fkey: () => deletionConflict('feature'),
  feature_lifecycles_feature_name_fkey: () => deletionConflict('feature'),
  feature_collaborators_feature_name_fkey: () => deletionConflict('feature'),
  favorite_features_feature_name_fkey: () => deletionConflict('feature'),
  health_snoozes_feature_name_fkey: () => deletionConflict('feature'),
  health_snoozes_segment_id_fkey: () => deletionConflict('segment'),
  project_health_days_project_fkey: () => deletionConflict('project'),
  favorite_projects_project_fkey: () => deletionConflict('project'),
  features_project_fkey: () => deletionConflict('project'),
  features_type_fkey: type =>
    badData([
      {
        message: `feature type "${type}" does not exist. GET /api/admin/feature-types lists the feature types.`,
        path: '/body/type',
      },
    ]),
  feature_strategies_strategy_name_fkey: name =>
    badData([
      {
        message: `strategy type "${name}" does not exist. GET /api/admin/strategies lists the strategy types.`,
        path: '/body/name',
      },
    ]),
  feature_strategy_segments_segment_id_fkey: id =>
    badData([{ message: `segment ${id} does not exist`, path: '/body/segments' }]),
  segments_name_key: name => nameExists(`Segment "${name}"`),
  segments_project_fkey: () => deletionConflict('project'),
  context_fields_project_fkey: () => deletionConflict('project'),
  context_fields_pkey: name => nameExists(`Context field "${name}"`),
  tag_types_pkey: name => nameExists(`Tag type "${name}"`),
  tags_pkey: name => nameExists(`Tag "${name}"`),
  tags_type_fkey: type => badData([{ message: `tag type "${type}" does not exist`, path: '/body/type' }]),
  users_username_key: name => nameExists(`A user or service account with the username "${name}"`),
  users_email_key: name => nameExists(`A user with the email address "${name}"`),
  personal_access_tokens_description_key: name => nameExists(`A token with the description "${name}"`),
  project_views_name_key: name => nameExists(`A shared view with the name "${name}"`),
  user_views_name_key: name => nameExists(`A saved view with the name "${name}"`),
  api_tokens_environment_fkey: environment =>
    badData([{ message: unknownEnvironment(environment), path: '/body/environment' }]),
  api_token_projects_project_id_fkey: () => deletionConflict('project'),
  project_environments_environment_name_fkey: () => deletionConflict('environment'),
  user_roles_project_fkey: () => deletionConflict('project'),
  group_roles_project_fkey: () => deletionConflict('project'),
  role_permissions_environment_fkey: () => deletionConflict('environment'),
  user_roles_role_id_fkey: () => deletionConflict('role'),
  group_roles_role_id_fkey: () => deletionConflict('role'),
  groups_root_role_id_fkey: () => deletionConflict('role'),
  auth_settings_default_role_fkey: () => deletionConflict('role'),
  sso_identities_user_key: () =>
    new ApiError('ConflictError', 'This user logged in elsewhere at the same time. Log in again.'),
  roles_name_key: name => nameExists(`Role "${name}"`),
  roles_type_name_key: name => nameExists(`Role "${name}"`),
  groups_name_key: name => nameExists(`Group "${name}"`),
};

/**
 * Returns the value that violated a constraint, from `Key (type)=(relase) is not present…`. With several columns, as in `Key (type,
 * name)=(root-custom, Auditor) already exists.`, it is the value of the last one. PostgreSQL may omit the detail.
 */
function parseViolatingValue({ detail = '' }: pg.DatabaseError): string {
  const [, columns = '', values] = /^Key \((.*?)\)=\((.{1,200}?)\) /s.exec(detail) ?? [];
  if (values === undefined) return '…';
  return values
    .split(', ')
    .slice(columns.split(', ').length - 1)
    .join(', ');
}

function deletionConflict(resource: string): ApiError {
  return new ApiError('ConflictError', `The ${resource} was deleted while this request was running.`);
}

// Well-formed times that PostgreSQL rejects, such as one with an offset of 23:59.
const TIME_OUT_OF_RANGE = /^2200[89]$/;
const timeRangeError = () => badData([{ message: 'a time is out of range', path: '/body' }]);

// A retry can succeed after any of these: statement and lock timeouts, no free connection, shutdown, unreachable server,
// rejected login, full disk, deadlock, serialization failure.
const TEMPORARY_CODE = /^(57014|55P03|55000|53\d{3}|57P0\d|08\w{3}|28\w{3}|3D000|40P01|40001|25P03)$/;
// The subset of these that concerns the whole database rather than one statement, plus a read-only database.
const OUTAGE_CODE = /^(55000|53\d{3}|57P0\d|08\w{3}|28\w{3}|3D000|25006)$/;
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// pg has no code for these errors: no connection became free in time, a connection broke during a query, a query got no response, or
// a transaction's connection broke, which only the failing rollback reports.
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|is not queryable/;

/** Converts a database error into an error for the caller. Returns undefined if the caller cannot do anything about the error. */
export function translateDbError(error: unknown): ApiError | undefined {
  if (error instanceof pg.DatabaseError) {
    const makeError = error.constraint === undefined ? undefined : CONSTRAINTS[error.constraint];
    if (makeError) return Object.assign(makeError(parseViolatingValue(error)), { cause: error });
    if (TIME_OUT_OF_RANGE.test(error.code ?? '')) return Object.assign(timeRangeError(), { cause: error });
    if (error.code === READ_ONLY) return unavailableError(error, READ_ONLY_MESSAGE);
    if (error.code === LOCK_TIMEOUT) return unavailableError(error, LOCK_TIMEOUT_MESSAGE);
    return TEMPORARY_CODE.test(error.code ?? '') || isOutdatedStatement(error)
      ? unavailableError(error)
      : undefined;
  }
  return isConnectionLost(error) ? unavailableError(error) : undefined;
}

/**
 * Returns whether the error, or its cause, concerns the whole database, in which case every other use of the database would fail for
 * the same reason.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return OUTAGE_CODE.test(getCode(error)) || isConnectionLost(error) || isOutage(error.cause);
}

/** The SQLSTATE classes for rejected values: data exceptions and violated constraints. */
const REJECTED_CODE = /^(22|23)/;

/** Returns whether PostgreSQL rejected the values themselves, so that a retry would fail again. */
export const isRejectedValue = (error: unknown): boolean =>
  error instanceof Error && REJECTED_CODE.test(getCode(error));

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && (NETWORK_CODES.has(getCode(error)) || CONNECTION_LOST.test(error.message));

const getCode = (error: Error): string => ('code' in error ? String(error.code) : '');

/**
 * Runs work that deletes a row. A foreign key is violated by a missing target, which CONSTRAINTS covers, or by deleting a row that
 * is still in use. PostgreSQL reports both in the same way, so the deleting operation passes the message for the second case.
 */
export async function rejectIfUsed<T>(
  constraint: string,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== constraint) throw error;
    throw new ApiError('ConflictError', message, { cause: error });
  }
}

const LOCK_TIMEOUT = '55P03';
const LOCK_TIMEOUT_MESSAGE =
  'A different request is changing the same data and has not finished. Retry in a few seconds.';
const READ_ONLY_MESSAGE =
  'The database is read-only at the moment, so nothing can be changed. Reads still work. Retry in a few seconds.';

function unavailableError(
  cause: unknown,
  message = 'The database is unavailable. Retry in a few seconds.',
): ApiError {
  return new ApiError('ServiceUnavailableError', message, { cause });
}
