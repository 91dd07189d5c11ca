import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { withdrawUsers } from '../project-access/withdraw.ts';
import { lockServiceAccount, markDeleted } from './store.ts';

/** Deletes an account: its tokens are refused, its roles and memberships end, its events keep their author. */
export async function removeServiceAccount(db: Db, actor: Actor, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const account = await lockServiceAccount(tx, id);
    if (!account) throw notFound(`Service account ${id}`);
    await withdrawUsers({ tx, actor, record }, [id]);
    await markDeleted(tx, id);
    record({ type: 'service-account-deleted', preData: account });
  });
}
