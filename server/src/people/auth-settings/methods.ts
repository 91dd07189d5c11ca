import type { Reader } from '../../platform/db/database.ts';
import type { LoginMethod } from './schema.ts';
import { findEnabledMethods } from './store.ts';

const METHODS: LoginMethod[] = [
  { type: 'password', label: 'Password', path: '/auth/simple/login' },
  { type: 'oidc', label: 'Single sign-on', path: '/auth/oidc/login' },
];

/** The login methods that are enabled. */
export async function loginMethods(db: Reader): Promise<LoginMethod[]> {
  const enabled = await findEnabledMethods(db);
  return METHODS.filter(({ type }) => enabled[type]);
}
