import { notFound, quoted } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listFamilies } from '../dependencies/store.ts';
import type { ArchiveCheck } from './schema.ts';

/** Previews archiving the features together: which of them are parents of other features, and whether dependencies are removed. */
export async function checkArchive(db: Reader, project: string, names: string[]): Promise<ArchiveCheck> {
  const features = await listFamilies(db, project, names);
  const found = new Set(features.map(feature => feature.name));
  const missing = names.filter(name => !found.has(name));
  if (missing.length > 0) throw notFound(`Feature ${quoted(missing)} in project "${project}"`);

  const archiving = new Set(names);
  return {
    parentsWithChildFeatures: features
      .filter(({ children }) => children.some(child => !archiving.has(child)))
      .map(({ name }) => name),
    hasDeletedDependencies: features.some(({ dependencies }) => dependencies.length > 0),
  };
}
