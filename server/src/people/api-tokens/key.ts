import { hashToken } from '../../../../plane/src/platform/token.ts';
import type { ApiTokenKey } from './store.ts';

/** The key of a token in a path: up to nine digits are an id, a secret is longer. */
export const apiTokenKey = (token: string): ApiTokenKey =>
  /^\d{1,9}$/.test(token) ? { id: Number(token) } : { hash: hashToken(token) };
