import { readExport } from '../../flags/transfer/export.ts';
import type { FeatureExport } from '../../flags/transfer/schema.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { describeInParts } from '../../record/events/describe.ts';
import { FEATURES, type FeatureState } from './kinds/features.ts';
import { digestOf } from './kinds/kind.ts';
import {
  findImportTime,
  findMarks,
  listEventsSince,
  listFeatureNames,
  listFeaturesOnlyMarked,
} from './store.ts';
import { IMPORT_ACTOR } from './synchronise.ts';

/** A flag that has changed since it was imported. */
export type ChangedFlag = {
  name: string;
  project: string | null;
  change: 'created' | 'changed' | 'archived' | 'deleted';
};

/** What happened in Halyard, in one line. */
export type ChangeLine = { id: number; createdAt: string; createdBy: string; type: string; text: string };

/** The body of a request to Unleash's `/api/admin/features-batch/import`. */
export type ImportBody = { project: string; environment: string; data: FeatureExport };

const FEATURES_PER_READ = 200;
const EVENTS_PER_READ = 1_000;

/** The time of the first import. Undefined: nothing was imported. */
export const importedSince = (db: Reader): Promise<string | undefined> => findImportTime(db, 'features');

/** The flags that have changed since they were imported, in order. */
export async function* changedFlags(db: Reader): AsyncGenerator<ChangedFlag & { state?: FeatureState }> {
  for (let after = ''; ; ) {
    const names = await listFeatureNames(db, after, FEATURES_PER_READ);
    const last = names.at(-1);
    if (last === undefined) break;
    const [here, marks] = [await FEATURES.find(db, names), await findMarks(db, FEATURES.name, names)];
    for (const [name, state] of here) {
      const mark = marks.get(name);
      if (mark?.digest === digestOf(state)) continue;
      const change = state.archivedAt !== null ? 'archived' : mark === undefined ? 'created' : 'changed';
      yield { name, project: state.project, change, state };
    }
    after = last;
  }
  for (const name of await listFeaturesOnlyMarked(db)) yield { name, project: null, change: 'deleted' };
}

/** The events since a time, except those caused by the import. */
export async function* changesSince(db: Reader, time: string): AsyncGenerator<ChangeLine> {
  for (let after = 0; ; ) {
    const events = await listEventsSince(db, time, IMPORT_ACTOR.name, after, EVENTS_PER_READ);
    const last = events.at(-1);
    if (last === undefined) return;
    for (const event of events) {
      const text = describeInParts(event)
        .parts.map(part => part.text)
        .join('');
      const { id, createdAt, createdBy, type } = event;
      yield { id, createdAt, createdBy, type, text };
    }
    after = last.id;
  }
}

/** What Unleash can import back: one body for each project and environment. */
export async function importBodies(
  db: Reader,
  flags: (ChangedFlag & { state?: FeatureState })[],
): Promise<ImportBody[]> {
  const places = flags
    .filter(({ change }) => change === 'created' || change === 'changed')
    .flatMap(({ name, state }) =>
      (state?.environments ?? []).map(({ environment }) => ({
        name,
        project: state?.project ?? '',
        environment,
      })),
    );
  const bodies: ImportBody[] = [];
  for (const [, list] of Map.groupBy(places, one => JSON.stringify([one.project, one.environment])))
    for (let at = 0; at < list.length; at += FEATURES_PER_READ) {
      const [{ project, environment } = { project: '', environment: '' }] = list;
      const names = list.slice(at, at + FEATURES_PER_READ).map(({ name }) => name);
      const { exported } = await readExport(db, SYSTEM, names, environment);
      bodies.push({ project, environment, data: withoutEmptyLinks(exported) });
    }
  return bodies;
}

/** Unleash 6 rejects bodies with a list of links, even an empty one. */
function withoutEmptyLinks({ links = [], ...data }: FeatureExport): FeatureExport {
  return links.length > 0 ? { ...data, links } : data;
}
