import { ApiError, badData } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { archiveFeatures } from '../features/archive.ts';
import { createFeature } from '../features/create.ts';
import { changeFeature } from '../features/update.ts';
import type { ManifestFlag, ManifestFlagUpdate, NewManifestFlag } from './schema.ts';
import { listPayloadTypes, type PayloadRow } from './store.ts';

const DEFAULTS = { boolean: false, string: '', integer: 0, object: {} } as const;

/** Returns the type of the values that OFREP returns for the flag, or undefined for fractions, which the manifest does not support. */
function findType({ payloads, isWhole }: PayloadRow): ManifestFlag['type'] | undefined {
  const types = payloads.filter(type => type !== 'none');
  if (types.length === 0) return 'boolean';
  if (types.every(type => type === 'json')) return 'object';
  if (types.every(type => type === 'number')) return isWhole ? 'integer' : undefined;
  return 'string';
}

export async function readManifest(db: Reader, project: string, name?: string): Promise<ManifestFlag[]> {
  const rows = await listPayloadTypes(db, project, name);
  return rows.flatMap(row => {
    const type = findType(row);
    if (type === undefined) return [];
    const { name: key, description } = row;
    return [{ key, type, defaultValue: DEFAULTS[type], ...(description && { description }) }];
  });
}

export async function readManifestFlag(db: Reader, project: string, name: string): Promise<ManifestFlag> {
  const [flag] = await readManifest(db, project, name);
  if (!flag)
    throw conflict(
      `Feature "${name}" has payloads with decimal fractions, which the OpenFeature CLI cannot read.`,
    );
  return flag;
}

const conflict = (message: string): ApiError => new ApiError('ConflictError', message);

/** Creates a boolean flag. Its values become strings, numbers or objects once someone adds variants with payloads. */
export async function createFromManifest(
  current: Change,
  project: string,
  { key, type, description }: NewManifestFlag,
  instanceLimit: number,
): Promise<void> {
  if (type !== 'boolean')
    throw badData([
      {
        message: `type must be "boolean" for a new flag, not "${type}". Create the flag in the console and add variants with payloads, then pull the manifest.`,
        path: '/body/type',
      },
    ]);
  await createFeature(
    current,
    project,
    { name: key, ...(description !== undefined && { description }) },
    instanceLimit,
  );
}

/** Changes the description. */
export async function updateFromManifest(
  current: Change,
  project: string,
  name: string,
  { key, type, description }: ManifestFlagUpdate,
): Promise<void> {
  if (key !== name)
    throw badData([{ message: `key must be "${name}", as in the path, not "${key}".`, path: '/body/key' }]);
  await lockActiveFlag(current, project, name);
  const flag = await readManifestFlag(current.tx, project, name);
  if (flag.type !== type)
    throw conflict(
      `Feature "${name}" has the type "${flag.type}", not "${type}". The type follows from the payloads of its variants.`,
    );
  if (description !== undefined) await changeFeature(current, project, name, { description });
}

/** Archives a flag. The CLI expects a conflict if the flag is already archived. */
export async function archiveFromManifest(current: Change, project: string, name: string): Promise<void> {
  await lockActiveFlag(current, project, name);
  await archiveFeatures(current, project, [name]);
}

async function lockActiveFlag({ tx }: Change, project: string, name: string): Promise<void> {
  const [feature] = await lockFeatures(tx, project, [name]);
  if (feature?.archived) throw conflict(`Feature "${name}" is archived. Revive it in the console first.`);
}
