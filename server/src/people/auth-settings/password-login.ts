import type { Reader } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { findSimple } from './store.ts';

/** Refuses to look at a password where logging in with one is switched off. */
export async function needsPasswordLogin(db: Reader): Promise<void> {
  if (!(await findSimple(db))?.disabled) return;
  throw new ApiError(
    'NoAccessError',
    'Logging in with a password is switched off here. Use single sign-on: /auth/oidc/login.',
  );
}
