import type { Versioned } from '../../record/versioned.ts';
import type { ApiToken } from './schema.ts';
import { type ApiTokenKey, lockToken } from './store.ts';

export const VERSIONED_API_TOKEN: Versioned<ApiTokenKey, ApiToken> = {
  nameOf: () => 'The API token',
  lock: ({ tx, actor }, key) => lockToken(tx, actor, key),
  derived: ['createdAt', 'seenAt'],
};
