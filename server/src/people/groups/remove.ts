import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { withdrawGroup } from '../project-access/withdraw.ts';
import { deleteGroup, lockGroup } from './store.ts';

/** Deletes a group: its members lose what they had through it alone. */
export async function removeGroup(db: Db, actor: Actor, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) =>
    keepingAnAdmin(tx, async () => {
      const group = await lockGroup(tx, id);
      if (!group) throw notFound(`Group ${id}`);
      await withdrawGroup({ tx, actor, record }, id);
      await deleteGroup(tx, id);
      record({ type: 'group-deleted', preData: group });
    }),
  );
}
