import { ApiError, type ErrorName } from '@halyard/plane/platform/errors.ts';

/** Why a login failed. The login page explains each failure, for example at /login?failed=expired. */
export const FAILURES = [
  'disabled',
  'address',
  'expired',
  'cancelled',
  'unconfirmed',
  'method',
  'no-account',
  'domain',
  'deleted',
  'deactivated',
  'unverified',
  'taken',
  'rejected',
  'throttled',
  'provider',
  'unavailable',
  'logout',
  'error',
] as const;

export type SsoFailure = (typeof FAILURES)[number];

/** A failure of single sign-on that the login page explains. */
export class SsoError extends ApiError {
  readonly failure: SsoFailure;

  constructor(failure: SsoFailure, name: ErrorName, message: string, options?: { retryAfter: number }) {
    super(name, message, options);
    this.failure = failure;
  }
}

const FAILURE_BY_NAME: Partial<Record<ErrorName, SsoFailure>> = {
  BadDataError: 'address',
  InvalidOperationError: 'rejected',
  NoAccessError: 'rejected',
  RateLimitError: 'throttled',
  ServiceUnavailableError: 'unavailable',
};

export const toSsoFailure = (error: ApiError): SsoFailure =>
  error instanceof SsoError ? error.failure : (FAILURE_BY_NAME[error.name] ?? 'error');
