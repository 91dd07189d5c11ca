import { isDeepStrictEqual } from 'node:util';
import { badData } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { Owner, OwnersInput } from './schema.ts';
import { listOwners, lockOwners, type OwnerKey, replaceOwners } from './store.ts';

/** Replaces the owners of a feature. The same owners in a different order change nothing. */
export async function setOwners(
  { tx, record }: Change,
  project: string,
  featureName: string,
  { owners: wanted }: OwnersInput,
): Promise<void> {
  requireExisting(wanted, await lockOwners(tx, featureName, wanted));
  await lockActiveFeature(tx, project, featureName);
  const before = await listOwners(tx, featureName);
  if (isDeepStrictEqual(new Set(before.map(keyOf)), new Set(wanted.map(keyOf)))) return;
  await replaceOwners(tx, featureName, wanted);
  const after = await listOwners(tx, featureName);
  record({
    type: 'feature-owners-updated',
    project,
    featureName,
    data: { owners: after.map(ownerEventData) },
    preData: { owners: before.map(ownerEventData) },
  });
}

const keyOf = ({ type, id }: OwnerKey): string => `${type} ${id}`;

const ownerEventData = ({ type, id, name }: Owner) => ({ type, id, name });

function requireExisting(wanted: OwnerKey[], found: OwnerKey[]): void {
  const keys = new Set(found.map(keyOf));
  const details = wanted.flatMap((owner, index) =>
    keys.has(keyOf(owner))
      ? []
      : [{ message: `${owner.type} ${owner.id} does not exist`, path: `/body/owners/${index}/id` }],
  );
  if (details.length > 0) throw badData(details);
}
