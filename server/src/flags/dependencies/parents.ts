import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listVariantNames } from '../feature-environments/store.ts';
import { listFamilies, listPossibleParents } from './store.ts';

/** Returns the names of the features that the feature could depend on. A parent or an archived feature cannot depend on others. */
export async function readPossibleParents(db: Reader, project: string, name: string): Promise<string[]> {
  const [family] = await listFamilies(db, project, [name]);
  if (!family) throw notFound(`Feature "${name}" in project "${project}"`);
  return family.archived || family.children.length > 0 ? [] : await listPossibleParents(db, project, name);
}

/** Returns the names of the feature's own variants and of its strategies' variants, in any environment. */
export async function readVariantNames(db: Reader, project: string, name: string): Promise<string[]> {
  const variants = await listVariantNames(db, project, name);
  if (!variants) throw notFound(`Feature "${name}" in project "${project}"`);
  return variants;
}
