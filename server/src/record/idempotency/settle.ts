import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { settleClaim } from './store.ts';

/** Marks the request's Idempotency-Key as carried out, in the transaction of the change. */
export async function settleRequest(tx: Tx, { claim }: Actor): Promise<void> {
  if (claim && !(await settleClaim(tx, claim))) throw supersededError();
}

const supersededError = (): ApiError =>
  new ApiError(
    'ConflictError',
    'This request took so long that a retry with the same Idempotency-Key superseded it.',
  );
