import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@halyard/plane/platform/errors.ts';
import { requireKey } from '../../platform/secrets/require-key.ts';
import type { Keyring } from '../../platform/secrets/seal.ts';
import type { Change } from '../../record/change.ts';
import { deleteOwnSecrets } from '../api-tokens/own-secrets.ts';
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
  const accountBefore = await lockServiceAccount(tx, id);
  if (!accountBefore) throw notFound(`Service account ${id}`);
  if (input.rootRole !== undefined) await requireRootRole(tx, input.rootRole);
  const accountAfter = {
    ...accountBefore,
    name: input.name?.trim() ?? accountBefore.name,
    rootRole: input.rootRole ?? accountBefore.rootRole,
    readsTokenSecrets: input.readsTokenSecrets ?? accountBefore.readsTokenSecrets,
  };
  if (accountAfter.name !== accountBefore.name) rejectReserved({ name: accountAfter.name, username: null });
  if (isDeepStrictEqual(accountAfter, accountBefore)) return;

  if (accountAfter.readsTokenSecrets && !accountBefore.readsTokenSecrets) requireKey(keyring);
  await updateAccount(tx, id, accountAfter);
  await setRootRole(current, id, accountAfter.rootRole);
  if (!accountAfter.readsTokenSecrets) await deleteOwnSecrets(current, id);
  record({ type: 'service-account-updated', data: accountAfter, preData: accountBefore });
}
