import { hashToken } from '../../access/token.ts';
import type { TokenKey } from './store.ts';

/** What an address says about a token: nine digits are an id; a secret is longer. */
export const keyOf = (token: string): TokenKey =>
  /^\d{1,9}$/.test(token) ? { id: Number(token) } : { hash: hashToken(token) };
