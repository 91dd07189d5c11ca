import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { changeFeatures, namesOf } from './many.ts';
import { setStale } from './store.ts';

export async function markStale(
  db: Db,
  actor: Actor,
  project: string,
  names: string[],
  stale: boolean,
): Promise<void> {
  await changeFeatures(db, actor, project, names, async ({ tx, record }, features) => {
    const changing = features.filter(feature => feature.stale !== stale);
    if (changing.length === 0) return;
    await setStale(tx, namesOf(changing), stale);
    for (const { name } of changing) {
      record({ type: stale ? 'feature-stale-on' : 'feature-stale-off', project, featureName: name });
    }
  });
}
