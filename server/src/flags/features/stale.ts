import type { Change } from '../../record/change.ts';
import { lockFeatures } from '../feature-rows/lock.ts';
import { getFeatureNames } from '../feature-rows/names.ts';
import { setStale } from './store.ts';

export async function markStale(
  { tx, record }: Change,
  project: string,
  names: string[],
  stale: boolean,
): Promise<void> {
  const features = await lockFeatures(tx, project, names);
  const changedFeatures = features.filter(feature => feature.stale !== stale);
  if (changedFeatures.length === 0) return;
  await setStale(tx, getFeatureNames(changedFeatures), stale);
  for (const { name } of changedFeatures)
    record({ type: stale ? 'feature-stale-on' : 'feature-stale-off', project, featureName: name });
}
