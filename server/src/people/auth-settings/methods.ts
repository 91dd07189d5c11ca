import type { Reader } from '../../platform/db/database.ts';
import type { LoginMethod } from './schema.ts';
import { findSwitches } from './store.ts';

const METHODS: LoginMethod[] = [
  { type: 'password', label: 'Password', path: '/auth/simple/login' },
  { type: 'oidc', label: 'Single sign-on', path: '/auth/oidc/login' },
];

/** The ways to log in that are open at this moment. */
export async function loginMethods(db: Reader): Promise<LoginMethod[]> {
  const switches = await findSwitches(db);
  return METHODS.filter(({ type }) => switches[type]);
}
