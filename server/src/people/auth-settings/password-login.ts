import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { findSimple } from './store.ts';

/** Rejects a login with a password while password login is disabled. */
export async function requirePasswordLogin(db: Reader): Promise<void> {
  if (!(await findSimple(db))?.disabled) return;
  throw new ApiError('NoAccessError', 'Password login is disabled. Use single sign-on: /auth/oidc/login.');
}
