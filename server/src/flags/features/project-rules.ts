import {
  ApiError,
  archivedError,
  exceedsLimit,
  formatCount,
  invalidOperation,
  notFound,
} from '@halyard/plane/platform/errors.ts';
import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { findBudgetErrors } from '../technical-debt/budget.ts';
import {
  countActiveInInstance,
  findReceivingProject,
  lockReceivingProject,
  type ReceivingProject,
} from './store.ts';

/**
 * Returns an error for every project rule that new features with these names would break: the naming pattern, the feature limit and
 * the debt budget. Locks the project until the transaction ends, and throws if it does not exist or is archived. `path` points to
 * the name in the request.
 */
export async function findProjectRuleErrors(
  tx: Tx,
  project: string,
  names: string[],
  path?: string,
): Promise<ApiError[]> {
  const receivingProject = await lockActiveProject(tx, project);
  return [
    ...findNamingPatternErrors(project, receivingProject, names, path),
    ...findFeatureLimitErrors(project, receivingProject, names.length),
    ...(await findBudgetErrors(tx, project)),
  ];
}

/** Locks the project, so that no other transaction adds a feature to it, and reads its rules for new features. */
export async function lockActiveProject(tx: Tx, project: string): Promise<ReceivingProject> {
  return requireActive(project, await lockReceivingProject(tx, project));
}

/** Reads the rules of the project for new features without a lock. */
export async function readActiveProject(db: Reader, project: string): Promise<ReceivingProject> {
  return requireActive(project, await findReceivingProject(db, project));
}

function requireActive(project: string, receivingProject: ReceivingProject | undefined): ReceivingProject {
  if (!receivingProject) throw notFound(`Project "${project}"`);
  if (receivingProject.archived) throw archivedError('Project', [project]);
  return receivingProject;
}

/** Rejects new active features that would exceed the limit of the project. */
export function rejectOverLimit(
  project: string,
  receivingProject: ReceivingProject,
  addedFeatures: number,
): void {
  for (const error of findFeatureLimitErrors(project, receivingProject, addedFeatures)) throw error;
}

function findFeatureLimitErrors(
  project: string,
  { featureLimit, activeFeatures }: ReceivingProject,
  addedFeatures: number,
): ApiError[] {
  if (featureLimit === null || activeFeatures + addedFeatures <= featureLimit) return [];
  const message = `Project "${project}" has ${formatCount(activeFeatures, 'active feature')} and a limit of ${featureLimit}. Archive features or raise the limit.`;
  return [invalidOperation(message)];
}

/** Rejects new active features that would exceed the limit of the instance. */
export async function rejectOverInstanceLimit(
  tx: Tx,
  maxFlags: number,
  addedFeatures: number,
): Promise<void> {
  for (const error of await findInstanceLimitErrors(tx, maxFlags, addedFeatures)) throw error;
}

/** Returns the error for a full instance, so that a change can list it with other errors. */
export async function findInstanceLimitErrors(
  tx: Tx,
  maxFlags: number,
  addedFeatures: number,
): Promise<ApiError[]> {
  if ((await countActiveInInstance(tx)) + addedFeatures <= maxFlags) return [];
  return [exceedsLimit(`This instance can have at most ${maxFlags} active features. Archive some first.`)];
}

/** Compiles the pattern once for all names. */
export function nameMatcher(pattern: string | null): (name: string) => boolean {
  const compiledPattern = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiledPattern?.matches(name) === true;
}

/** Returns one error for each name that does not match. */
export function findNamingPatternErrors(
  project: string,
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
  names: string[],
  path?: string,
): ApiError[] {
  const fits = nameMatcher(namingPattern);
  const example = namingExample === null ? '' : ` Example: "${namingExample}".`;
  const description = namingDescription === null ? '' : ` Description: "${namingDescription}"`;
  return names
    .filter(name => !fits(name))
    .map(name => {
      const message = `Name "${name}" does not match the naming pattern of project "${project}": ${namingPattern}.${example}${description}`;
      return new ApiError('PatternError', message, {
        details: [{ message, ...(path === undefined ? {} : { path }) }],
      });
    });
}
