import { keepingAnAdmin } from '../access/last-admin.ts';
import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { withdrawGroup } from '../project-access/withdraw.ts';
import { deleteGroup, lockGroup } from './store.ts';

/** Deletes a group: its members lose what they had through it alone. */
export async function removeGroup(db: Db, actor: Actor, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) =>
    keepingAnAdmin(tx, async () => {
      const group = await lockGroup(tx, id);
      if (!group) throw notFound(`Group ${id}`);
      await withdrawGroup({ tx, record }, id);
      await deleteGroup(tx, id);
      record({ type: 'group-deleted', preData: group });
    }),
  );
}
