import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listVariantNames } from '../feature-environments/store.ts';
import { listFamilies, listPossibleParents } from './store.ts';

/**
 * Names of the features that the feature could depend on. A feature that is itself a parent, or archived, cannot depend on
 * others.
 */
export async function possibleParents(db: Reader, project: string, name: string): Promise<string[]> {
  const [family] = await listFamilies(db, project, [name]);
  if (!family) throw notFound(`Feature "${name}" in project "${project}"`);
  return family.archived || family.children.length > 0 ? [] : await listPossibleParents(db, project, name);
}

/** Names of all variants of the feature, in any environment: its own and those of its strategies. */
export async function variantsOf(db: Reader, project: string, name: string): Promise<string[]> {
  const variants = await listVariantNames(db, project, name);
  if (!variants) throw notFound(`Feature "${name}" in project "${project}"`);
  return variants;
}
