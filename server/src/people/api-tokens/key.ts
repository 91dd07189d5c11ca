import { hashToken } from '@halyard/plane/platform/token.ts';
import type { ApiTokenKey } from './store.ts';

/** Returns the key for a token in a path. Up to nine digits are an id, because a secret is longer. */
export const toApiTokenKey = (token: string): ApiTokenKey =>
  /^\d{1,9}$/.test(token) ? { id: Number(token) } : { hash: hashToken(token) };
