import { notFound, quoteNames } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listFamilies } from '../dependencies/store.ts';
import type { ArchiveCheck } from './schema.ts';

/**
 * Previews archiving the features together: returns which of them are parents of features that would stay active, and whether
 * archiving would remove dependencies.
 */
export async function checkArchive(db: Reader, project: string, names: string[]): Promise<ArchiveCheck> {
  const features = await listFamilies(db, project, names);
  const foundNames = new Set(features.map(feature => feature.name));
  const missingNames = names.filter(name => !foundNames.has(name));
  if (missingNames.length > 0) throw notFound(`Feature ${quoteNames(missingNames)} in project "${project}"`);

  const archivedNames = new Set(names);
  return {
    parentsWithChildFeatures: features
      .filter(({ children }) => children.some(child => !archivedNames.has(child)))
      .map(({ name }) => name),
    hasDeletedDependencies: features.some(({ dependencies }) => dependencies.length > 0),
  };
}
