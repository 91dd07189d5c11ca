import { ApiError, rejectForAll } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listTakenNames, type TakenName } from './store.ts';

/** Rejects names that the insert skipped because an active or archived feature has them. */
export async function rejectTakenNames(db: Reader, actor: Actor, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const errors = await takenNameErrors(db, actor, names);
  // The other feature may have been deleted since the insert.
  rejectForAll('The request', errors.length > 0 ? errors : names.map(name => takenName({ name })));
}

/** One error for each name that an active or archived feature has. */
export async function takenNameErrors(db: Reader, actor: Actor, names: string[]): Promise<ApiError[]> {
  return (await listTakenNames(db, actor, names)).map(takenName);
}

function takenName({ name, project, archived }: Partial<TakenName> & { name: string }): ApiError {
  const where = project ? ` in project "${project}"` : '';
  const message =
    project && archived
      ? `Feature "${name}" already exists${where} (archived). Choose another name, or delete the archived feature.`
      : `Feature "${name}" already exists${where}. Choose another name.`;
  return new ApiError('NameExistsError', message);
}
