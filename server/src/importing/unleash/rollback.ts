import { readExport } from '../../flags/transfer/export.ts';
import type { FeatureExport } from '../../flags/transfer/schema.ts';
import { SYSTEM } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { ChangedFlag, ChangeLine, FlagDetails } from './changes-since-import.ts';
import type { EnvironmentState } from './kinds/features.ts';
import { computeDigest } from './kinds/kind.ts';
import { PROJECTS } from './kinds/projects.ts';
import { SEGMENTS } from './kinds/segments.ts';
import { isTypeInUnleash, STRATEGY_TYPES } from './kinds/vocabulary.ts';
import { listImportedEnvironments, listMarks } from './store.ts';
import { IMPORT_ACTOR } from './synchronize.ts';

/** The body of a request to Unleash's `/api/admin/features-batch/import`, with one flag. */
export type ImportBody = { project: string; environment: string; data: FeatureExport };

/** A change that an import into Unleash cannot make, so the user has to repeat it there. */
export type ManualChange = {
  name: string;
  project: string | null;
  /** If null, the reason concerns the flag in all environments. */
  environment: string | null;
  reason: string;
  changes: string[];
};

/** What Unleash had at the last import. */
type KnownNames = {
  strategyTypes: ReadonlySet<string>;
  segments: ReadonlySet<string>;
  projects: ReadonlySet<string>;
  /** The environments of each project. If a project has no entry, its environments are unknown. */
  environments: ReadonlyMap<string, string[]>;
};

/**
 * Plans how to send the changed flags back to Unleash. Unleash rejects a whole body if any part of it is invalid, so each body
 * contains one flag and only what changed in it.
 */
export async function planRollback(
  db: Reader,
  flags: (ChangedFlag & { details?: FlagDetails })[],
  changes: ChangeLine[],
): Promise<{ bodies: ImportBody[]; byHand: ManualChange[] }> {
  const known = await readKnownNames(db);
  const changesByFlag = Map.groupBy(changes, ({ feature }) => feature);
  const bodies: ImportBody[] = [];
  const byHand: ManualChange[] = [];
  // A flag can depend only on flags that already exist, so flags without new parents come first.
  for (const flag of flags.toSorted((a, b) => countAddedParents(a) - countAddedParents(b))) {
    const { name, project, details } = flag;
    const { environments, manual } = planFlag(flag, known);
    for (const { environment, reason } of manual) {
      const lines = (changesByFlag.get(name) ?? []).filter(
        line => environment === null || line.environment === environment,
      );
      byHand.push({ name, project, environment, reason, changes: lines.map(({ text }) => text) });
    }
    for (const [index, environment] of environments.entries()) {
      const { featureExport } = await readExport(db, SYSTEM, [name], environment);
      const data = keepChanges(featureExport, details, index === 0);
      bodies.push({ project: project ?? '', environment, data });
    }
  }
  return { bodies, byHand };
}

const countAddedParents = ({ details }: { details?: FlagDetails }): number =>
  details?.addedParents.length ?? 0;

async function readKnownNames(db: Reader): Promise<KnownNames> {
  const listKeys = async (kind: string) => new Set((await listMarks(db, kind)).map(({ key }) => key));
  const typeMarks = await listMarks(db, STRATEGY_TYPES.name);
  return {
    strategyTypes: new Set(
      typeMarks.filter(({ digest, key }) => isTypeInUnleash(key, digest)).map(({ key }) => key),
    ),
    segments: await listKeys(SEGMENTS.name),
    projects: await listKeys(PROJECTS.name),
    environments: await listImportedEnvironments(db, IMPORT_ACTOR.name),
  };
}

type FlagPlan = {
  /** The environments to send a body for. */
  environments: string[];
  manual: { environment: string | null; reason: string }[];
};

function planFlag({ change, details }: ChangedFlag & { details?: FlagDetails }, known: KnownNames): FlagPlan {
  if (details === undefined || change === 'archived' || change === 'deleted')
    return toManual(`${change} in Halyard; an import into Unleash cannot do that`);
  const flagReason = explainFlag(details, known);
  if (flagReason !== undefined) return toManual(flagReason);
  const plan: FlagPlan = { environments: [], manual: [] };
  if (details.removedParents.length > 0)
    plan.manual.push({
      environment: null,
      reason: `it no longer depends on ${details.removedParents.join(', ')}; an import into Unleash cannot remove dependencies`,
    });
  for (const state of details.state.environments.filter(environment => isChanged(environment, details))) {
    const reason = explainEnvironment(state, details, known);
    if (reason === undefined) plan.environments.push(state.environment);
    else plan.manual.push({ environment: state.environment, reason });
  }
  if (plan.environments.length > 0 || !hasChangedOutsideEnvironments(details)) return plan;
  // Changes outside environments can be sent with any environment, even one in which nothing has changed.
  const usedEnvironments = details.state.environments.filter(hasContent);
  const candidates = usedEnvironments.length > 0 ? usedEnvironments : details.state.environments;
  const acceptedEnvironment = candidates.find(
    state => explainEnvironment(state, details, known) === undefined,
  );
  const [firstCandidate] = candidates;
  if (acceptedEnvironment !== undefined) plan.environments.push(acceptedEnvironment.environment);
  else if (firstCandidate !== undefined)
    plan.manual.push({ environment: null, reason: explainEnvironment(firstCandidate, details, known) ?? '' });
  return plan;
}

const toManual = (reason: string): FlagPlan => ({
  environments: [],
  manual: [{ environment: null, reason }],
});

/** Returns why Unleash would reject the flag in every environment. */
function explainFlag(
  { state, importedState, mark }: FlagDetails,
  { projects }: KnownNames,
): string | undefined {
  if (!projects.has(state.project)) return `Unleash has no project "${state.project}"`;
  if (importedState !== undefined && importedState.archivedAt !== null)
    return 'revived in Halyard; an import into Unleash cannot do that';
  if (importedState !== undefined && importedState.project !== state.project)
    return `moved from project "${importedState.project}"; an import into Unleash cannot do that`;
  return mark?.environments.includes('') ? explainProblems(mark.problems) : undefined;
}

/** Returns why Unleash would reject the flag in this environment. */
function explainEnvironment(
  state: EnvironmentState,
  { state: { project }, importedState, mark }: FlagDetails,
  { environments, strategyTypes, segments }: KnownNames,
): string | undefined {
  if (environments.get(project)?.includes(state.environment) === false)
    return `project "${project}" has no environment "${state.environment}" in Unleash`;
  const unknownType = state.strategies.find(({ name }) => !strategyTypes.has(name) && !isTypeInUnleash(name));
  if (unknownType !== undefined) return `Unleash has no strategy type "${unknownType.name}"`;
  const unknownSegment = state.strategies
    .flatMap(strategy => strategy.segments)
    .find(segment => !segments.has(segment));
  if (unknownSegment !== undefined) return `Unleash has no segment "${unknownSegment}"`;
  const importedEnvironment = findEnvironment(importedState, state.environment);
  // Strategies and variants that were changed in Halyard have been validated.
  const isAsImported =
    importedEnvironment === undefined ||
    computeDigest({ ...importedEnvironment, enabled: false }) === computeDigest({ ...state, enabled: false });
  return mark?.environments.includes(state.environment) && isAsImported
    ? explainProblems(mark.problems)
    : undefined;
}

const explainProblems = (problems: string[]): string =>
  `Unleash would reject it, even though it has stored it: ${problems.join('; ')}`;

const findEnvironment = (state: FlagDetails['importedState'], name: string): EnvironmentState | undefined =>
  state?.environments.find(({ environment }) => environment === name);

/** Returns whether the flag, in this environment, differs from what was imported or, if nothing was imported, from a new flag. */
function isChanged(state: EnvironmentState, { importedState, mark }: FlagDetails): boolean {
  const importedEnvironment = findEnvironment(importedState, state.environment);
  if (importedEnvironment !== undefined) return computeDigest(importedEnvironment) !== computeDigest(state);
  return hasContent(state) || (mark !== undefined && importedState === undefined);
}

const hasContent = ({ enabled, strategies, variants }: EnvironmentState): boolean =>
  enabled || strategies.length > 0 || variants.length > 0;

function hasChangedOutsideEnvironments({ state, importedState, addedParents }: FlagDetails): boolean {
  if (importedState === undefined || addedParents.length > 0) return true;
  return (
    computeDigest({ ...importedState, environments: [] }) !== computeDigest({ ...state, environments: [] })
  );
}

/**
 * Removes dependencies and links that have not changed: Unleash rejects dependencies that are two levels deep, and Unleash 6 rejects any
 * list of links. Dependencies are sent only once.
 */
function keepChanges(
  { dependencies = [], links = [], ...data }: FeatureExport,
  details: FlagDetails | undefined,
  isFirst: boolean,
): FeatureExport {
  const { addedParents = [], state, importedState } = details ?? {};
  const newDependencies = dependencies.map(entry => ({
    ...entry,
    dependencies: entry.dependencies.filter(({ feature }) => addedParents.includes(feature)),
  }));
  const hasNewLinks = computeDigest(state?.links ?? []) !== computeDigest(importedState?.links ?? []);
  return {
    ...data,
    dependencies: isFirst ? newDependencies.filter(entry => entry.dependencies.length > 0) : [],
    ...(hasNewLinks && { links }),
  };
}
