import { badData } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { checkPermissions } from './permissions.ts';
import type { RoleInput } from './schema.ts';
import { type FullRole, insertRole } from './store.ts';

/** Creates a custom root role or project role. */
export async function createRole({ tx, record }: Change, input: RoleInput): Promise<FullRole> {
  const type = input.type ?? 'custom';
  const { permissions, violations } = await checkPermissions(tx, type, input.permissions ?? []);
  if (violations.length > 0) throw badData(violations);
  const fields = { type, name: input.name.trim(), description: input.description ?? '', permissions };
  const role = { id: await insertRole(tx, fields), ...fields };
  record({ type: 'role-created', data: role });
  return role;
}
