import { isDeepStrictEqual } from 'node:util';
import { badData } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { Owner, OwnersInput } from './schema.ts';
import { listOwners, lockOwners, type OwnerKey, replaceOwners } from './store.ts';

/** Replaces the owners of a feature. Does nothing if only their order differs. */
export async function setOwners(
  { tx, record }: Change,
  project: string,
  featureName: string,
  { owners: newOwners }: OwnersInput,
): Promise<void> {
  requireExistingOwners(newOwners, await lockOwners(tx, featureName, newOwners));
  await lockActiveFeature(tx, project, featureName);
  const ownersBefore = await listOwners(tx, featureName);
  if (isDeepStrictEqual(new Set(ownersBefore.map(toKey)), new Set(newOwners.map(toKey)))) return;
  await replaceOwners(tx, featureName, newOwners);
  const ownersAfter = await listOwners(tx, featureName);
  record({
    type: 'feature-owners-updated',
    project,
    featureName,
    data: { owners: ownersAfter.map(toEventData) },
    preData: { owners: ownersBefore.map(toEventData) },
  });
}

const toKey = ({ type, id }: OwnerKey): string => `${type} ${id}`;

const toEventData = ({ type, id, name }: Owner) => ({ type, id, name });

function requireExistingOwners(newOwners: OwnerKey[], existingOwners: OwnerKey[]): void {
  const keys = new Set(existingOwners.map(toKey));
  const details = newOwners.flatMap((owner, index) =>
    keys.has(toKey(owner))
      ? []
      : [{ message: `${owner.type} ${owner.id} does not exist`, path: `/body/owners/${index}/id` }],
  );
  if (details.length > 0) throw badData(details);
}
