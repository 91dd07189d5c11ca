import { isDeepStrictEqual } from 'node:util';
import { setRootRole } from '../../access/grant.ts';
import { keepingAnAdmin } from '../../access/last-admin.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import type { User, UserUpdate } from './admin-schema.ts';
import { asEventData, identityViolations, rootRoleId } from './create.ts';
import { reservedNames } from './reserved.ts';
import { lockUsers, updateUser } from './store.ts';

/** Changes the fields that are given and leaves the others; changing nothing writes nothing. */
export async function changeUser(db: Db, actor: Actor, id: number, input: UserUpdate): Promise<User> {
  return await change(db, actor, async part =>
    // Only a change of role can take ADMIN away; the others need not wait for each other.
    input.rootRole === undefined
      ? await applyUpdate(part, id, input)
      : await keepingAnAdmin(part.tx, () => applyUpdate(part, id, input)),
  );
}

async function applyUpdate({ tx, record }: Change, id: number, input: UserUpdate): Promise<User> {
  const [before] = await lockUsers(tx, [id]);
  if (!before) throw notFound(`User ${id}`);
  const after = {
    ...before,
    name: input.name === undefined ? before.name : input.name || null,
    email: input.email === undefined ? before.email : input.email || null,
    rootRole: input.rootRole === undefined ? before.rootRole : await rootRoleId(tx, input.rootRole),
  };
  if (isDeepStrictEqual(after, before)) return before;
  const reserved = after.name === before.name ? [] : [...reservedNames({ name: after.name })];
  if (reserved.length > 0) throw badData(reserved);
  if (after.username === null && after.email === null) {
    throw badData([...identityViolations(after)].map(({ message }) => ({ message, path: '/body/email' })));
  }

  await updateUser(tx, after);
  if (after.rootRole !== null && after.rootRole !== before.rootRole)
    await setRootRole(tx, id, after.rootRole);
  record({ type: 'user-updated', data: asEventData(after), preData: asEventData(before) });
  return after;
}
