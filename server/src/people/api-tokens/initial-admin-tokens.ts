import { getTokenHint, hashToken } from '@halyard/plane/platform/token.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { apiTokenEventData } from './create.ts';
import { insertToken } from './store.ts';

/** Creates the admin tokens that the operator configured. A token that was revoked stays revoked. */
export async function createInitialAdminTokens(db: Db, tokens: string[]): Promise<void> {
  for (const secret of tokens) {
    await change(db, SYSTEM, async ({ tx, record }) => {
      const token = await insertToken(tx, SYSTEM, {
        hash: hashToken(secret),
        hint: getTokenHint(secret),
        type: 'admin',
        name: 'admin',
        environment: null,
        alias: null,
        expiresAt: null,
        projects: undefined,
      });
      if (token) record({ type: 'api-token-created', data: apiTokenEventData(token) });
    });
  }
}
