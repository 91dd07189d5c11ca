import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import { needsKey } from '../../platform/secrets/needs-key.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { forgetOwnSecrets } from '../api-tokens/own-secrets.ts';
import { setRootRole } from '../grants/grant.ts';
import { rejectReserved, requireRootRole } from './create.ts';
import type { ServiceAccountUpdate } from './schema.ts';
import { lockServiceAccount, updateAccount } from './store.ts';

/** Updates the name, the root role, or whether a service account reads the secrets of its API tokens. */
export async function changeServiceAccount(
  current: Change,
  id: number,
  input: ServiceAccountUpdate,
  keyring: Keyring,
): Promise<void> {
  const { tx, record } = current;
  const before = await lockServiceAccount(tx, id);
  if (!before) throw notFound(`Service account ${id}`);
  if (input.rootRole !== undefined) await requireRootRole(tx, input.rootRole);
  const after = {
    ...before,
    name: input.name?.trim() ?? before.name,
    rootRole: input.rootRole ?? before.rootRole,
    readsTokenSecrets: input.readsTokenSecrets ?? before.readsTokenSecrets,
  };
  if (after.name !== before.name) rejectReserved({ name: after.name, username: null });
  if (isDeepStrictEqual(after, before)) return;

  if (after.readsTokenSecrets && !before.readsTokenSecrets) needsKey(keyring);
  await updateAccount(tx, id, after);
  await setRootRole(current, id, after.rootRole);
  if (!after.readsTokenSecrets) await forgetOwnSecrets(current, id);
  record({ type: 'service-account-updated', data: after, preData: before });
}
