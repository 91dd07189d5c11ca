import type { Change } from '../../record/change.ts';
import { holdFeatures } from './load.ts';
import { namesOf } from './many.ts';
import { setStale } from './store.ts';

export async function markStale(
  { tx, actor, record }: Change,
  project: string,
  names: string[],
  stale: boolean,
): Promise<void> {
  const features = await holdFeatures(tx, actor, project, names);
  const changing = features.filter(feature => feature.stale !== stale);
  if (changing.length === 0) return;
  await setStale(tx, namesOf(changing), stale);
  for (const { name } of changing) {
    record({ type: stale ? 'feature-stale-on' : 'feature-stale-off', project, featureName: name });
  }
}
