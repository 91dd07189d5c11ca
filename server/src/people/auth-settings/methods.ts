import type { Reader } from '../../platform/db/database.ts';
import type { LoginMethod } from './schema.ts';
import { findEnabledMethods } from './store.ts';

const METHODS: LoginMethod[] = [
  { type: 'password', label: 'Password', path: '/auth/simple/login' },
  { type: 'oidc', label: 'Single sign-on', path: '/auth/oidc/login' },
];

/** Lists the login methods that are enabled. */
export async function listLoginMethods(db: Reader): Promise<LoginMethod[]> {
  const enabledMethods = await findEnabledMethods(db);
  return METHODS.filter(({ type }) => enabledMethods[type]);
}
