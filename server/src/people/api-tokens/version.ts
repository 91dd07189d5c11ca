import type { Versioned } from '../../record/versioned.ts';
import type { ApiToken } from './schema.ts';
import { type ApiTokenKey, lockToken } from './store.ts';

export const VERSIONED_API_TOKEN: Versioned<ApiTokenKey, ApiToken> = {
  formatName: () => 'The API token',
  lock: ({ tx, actor }, key) => lockToken(tx, actor, key),
  // If-Match ignores the secret. It never changes, but its creator may see the full secret where others see only the hint.
  derived: ['secret', 'secure', 'createdAt', 'seenAt'],
};
