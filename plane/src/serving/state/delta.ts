import { type Change, type Environment, isCurrent } from './environment.ts';
import { isFiltered } from './filters.ts';
import { type Selection, segmentsOf } from './scope.ts';

/**
 * The events that bring a client of the scope from one revision to another, or undefined if the client must hydrate: because
 * removals that it needs were purged, or because a filter decides again after each change which parents are in the scope.
 *
 * SDKs apply events in the order of the list. A segment comes before the feature that uses it, and a removal before an update,
 * because a feature that moved to a different project has both. Every event has the new revision as its id: a proxy that stores
 * events passes on those above the revision of its client.
 */
export function deltaEvents(
  selection: Selection,
  environment: Environment,
  from: number,
  to: number,
): string[] | undefined {
  if (from < environment.completeSince || isFiltered(selection.filters)) return undefined;
  const changes = changesAfter(environment, from);
  const isIn = ({ project }: { project: string }) => selection.projects?.includes(project) ?? true;
  const updated = changes.flatMap(({ kind, row }) => (kind === 'feature' && isIn(row) ? [row] : []));
  const removed = changes.flatMap(({ kind, row }) => (kind === 'removal' && isIn(row) ? [row] : []));
  const needed = new Set(updated.flatMap(({ segments }) => segments));
  const used = segmentsOf(selection, environment);
  const head = `{"eventId":${to},"type":`;
  return [
    ...used
      .filter(({ id, revision }) => revision > from || needed.has(id))
      .map(({ text }) => `${head}"segment-updated","segment":${text}}`),
    ...removed
      .filter(({ name }) => {
        const live = environment.features.get(name);
        // The client has this feature from a different project in the scope, and an SDK would remove it by its name.
        return live === undefined || !isIn(live) || live.revision > from;
      })
      .map(
        ({ name, project }) =>
          `${head}"feature-removed","featureName":${JSON.stringify(name)},"project":${JSON.stringify(project)}}`,
      ),
    ...removedSegments(changes).map(id => `${head}"segment-removed","segmentId":${id}}`),
    ...updated.map(({ text }) => `${head}"feature-updated","feature":${text}}`),
  ];
}

/** The latest change of each row that changed after the revision, oldest first. */
export function changesAfter(environment: Environment, from: number): Change[] {
  const { history } = environment;
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history[middle]?.row.revision ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return history.slice(low).filter(change => isCurrent(environment, change));
}

/** A removed segment is in no scope: only segments in use have a document. */
const removedSegments = (changes: Change[]): number[] => [
  ...new Set(changes.flatMap(({ kind, row }) => (kind === 'segment removal' ? [row.id] : []))),
];
