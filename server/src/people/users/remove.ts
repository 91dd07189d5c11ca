import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { withdrawUsers } from '../project-access/withdraw.ts';
import { endSessionsOf } from '../sessions/end.ts';
import type { User } from './admin-schema.ts';
import { asEventData } from './create.ts';
import { filterInactive, lockUsers, markDeleted } from './store.ts';

/** Nobody heard of them for so long. */
export const INACTIVE_DAYS = 180;

/** Deletes a user: their sessions, tokens, roles and memberships end at once on every server; what they did keeps its author. */
export async function removeUser(db: Db, actor: Actor, id: number): Promise<void> {
  await change(db, actor, async ({ tx, record }) =>
    keepingAnAdmin(tx, async () => {
      const users = await lockUsers(tx, [id]);
      if (users.length === 0) throw notFound(`User ${id}`);
      await remove({ tx, actor, record }, users);
    }),
  );
}

/** Deletes users that are inactive, all or none of them; who was here meanwhile is refused. */
export async function removeInactiveUsers(db: Db, actor: Actor, ids: number[]): Promise<void> {
  await change(db, actor, async ({ tx, record }) =>
    keepingAnAdmin(tx, async () => {
      const users = await lockUsers(tx, ids);
      const inactive = new Set(await filterInactive(tx, ids, INACTIVE_DAYS));
      const active = [...new Set(ids)].filter(id => !inactive.has(id));
      if (active.length > 0) {
        throw badData(
          active.map(id => ({ message: `user ${id} is not inactive, or not there`, path: '/body/ids' })),
        );
      }
      await remove({ tx, actor, record }, users);
    }),
  );
}

async function remove({ tx, actor, record }: Change, users: User[]): Promise<void> {
  const ids = users.map(({ id }) => id);
  await endSessionsOf(tx, ids);
  await withdrawUsers({ tx, actor, record }, ids);
  await markDeleted(tx, ids);
  for (const user of users) record({ type: 'user-deleted', preData: asEventData(user) });
}
