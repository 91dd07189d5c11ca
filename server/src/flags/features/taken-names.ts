import { ApiError, rejectForAll } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listTakenNames, type TakenName } from './store.ts';

/** Rejects names that the insert skipped because an active or archived feature has them. */
export async function rejectTakenNames(db: Reader, actor: Actor, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const errors = await findTakenNameErrors(db, actor, names);
  // The feature that had the name may have been deleted since the insert.
  rejectForAll('The request', errors.length > 0 ? errors : names.map(name => takenNameError({ name })));
}

/** Returns one error for each name that an active or archived feature has. */
export async function findTakenNameErrors(db: Reader, actor: Actor, names: string[]): Promise<ApiError[]> {
  return (await listTakenNames(db, actor, names)).map(takenNameError);
}

function takenNameError({ name, project, archived }: Partial<TakenName> & { name: string }): ApiError {
  const location = project ? ` in project "${project}"` : '';
  const message =
    project && archived
      ? `Feature "${name}" already exists${location} (archived). Choose another name, or delete the archived feature.`
      : `Feature "${name}" already exists${location}. Choose another name.`;
  return new ApiError('NameExistsError', message);
}
