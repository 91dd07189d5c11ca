import { type Change, type Environment, isCurrent } from './environment.ts';
import { isFiltered } from './filters.ts';
import { listSegments, type Selection } from './scope.ts';

/**
 * Returns the events that bring a client of the scope from one revision to another, or undefined if the client must hydrate. A
 * client must hydrate if removals that it needs were purged, or if the scope has filters, because any change can alter which parents
 * a filter selects.
 *
 * SDKs apply events in list order, so a segment comes before the feature that uses it. A removal comes before an update, because
 * a feature that moved to a different project has both. Every event has the new revision as its id, because a proxy that stores
 * events passes on only those above its client's revision.
 */
export function deltaEvents(
  selection: Selection,
  environment: Environment,
  fromRevision: number,
  toRevision: number,
): string[] | undefined {
  if (fromRevision < environment.completeSince || isFiltered(selection.filters)) return undefined;
  const changes = changesAfter(environment, fromRevision);
  const isInScope = ({ project }: { project: string }) => selection.projects?.includes(project) ?? true;
  const updatedFeatures = changes.flatMap(({ kind, row }) =>
    kind === 'feature' && isInScope(row) ? [row] : [],
  );
  const removals = changes.flatMap(({ kind, row }) => (kind === 'removal' && isInScope(row) ? [row] : []));
  const neededSegments = new Set(updatedFeatures.flatMap(({ segments }) => segments));
  const usedSegments = listSegments(selection, environment);
  const head = `{"eventId":${toRevision},"type":`;
  return [
    ...usedSegments
      .filter(({ id, revision }) => revision > fromRevision || neededSegments.has(id))
      .map(({ text }) => `${head}"segment-updated","segment":${text}}`),
    ...removals
      .filter(({ name }) => {
        const currentFeature = environment.features.get(name);
        // SDKs remove by name, so a client that already has the feature from its new project would lose it.
        return (
          currentFeature === undefined || !isInScope(currentFeature) || currentFeature.revision > fromRevision
        );
      })
      .map(
        ({ name, project }) =>
          `${head}"feature-removed","featureName":${JSON.stringify(name)},"project":${JSON.stringify(project)}}`,
      ),
    ...removedSegments(changes).map(id => `${head}"segment-removed","segmentId":${id}}`),
    ...updatedFeatures.map(({ text }) => `${head}"feature-updated","feature":${text}}`),
  ];
}

/** Returns the latest change of each row that changed after the revision, oldest first. */
export function changesAfter(environment: Environment, revision: number): Change[] {
  const { history } = environment;
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history[middle]?.row.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return history.slice(low).filter(change => isCurrent(environment, change));
}

/** Returns all removed segments. They are no longer in any scope, because only segments in use have a document. */
const removedSegments = (changes: Change[]): number[] => [
  ...new Set(changes.flatMap(({ kind, row }) => (kind === 'segment removal' ? [row.id] : []))),
];
