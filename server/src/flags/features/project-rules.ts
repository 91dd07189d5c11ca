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
import { countActiveInInstance, findTargetProject, lockTargetProject, type TargetProject } from './store.ts';

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
  const targetProject = await lockActiveProject(tx, project);
  return [
    ...findNamingPatternErrors(project, targetProject, names, path),
    ...findFeatureLimitErrors(project, targetProject, names.length),
    ...(await findBudgetErrors(tx, project)),
  ];
}

/** Locks the project, so that no other transaction can add a feature to it, and reads its rules for new features. */
export async function lockActiveProject(tx: Tx, project: string): Promise<TargetProject> {
  return requireActive(project, await lockTargetProject(tx, project));
}

/** Reads the project's rules for new features without locking the project. */
export async function readActiveProject(db: Reader, project: string): Promise<TargetProject> {
  return requireActive(project, await findTargetProject(db, project));
}

function requireActive(project: string, targetProject: TargetProject | undefined): TargetProject {
  if (!targetProject) throw notFound(`Project "${project}"`);
  if (targetProject.archived) throw archivedError('Project', [project]);
  return targetProject;
}

/** Rejects new active features that would exceed the limit of the project. */
export function rejectOverLimit(project: string, targetProject: TargetProject, addedCount: number): void {
  for (const error of findFeatureLimitErrors(project, targetProject, addedCount)) throw error;
}

function findFeatureLimitErrors(
  project: string,
  { featureLimit, activeFeatures }: TargetProject,
  addedCount: number,
): ApiError[] {
  if (featureLimit === null || activeFeatures + addedCount <= featureLimit) return [];
  const message = `Project "${project}" has ${formatCount(activeFeatures, 'active feature')} and a limit of ${featureLimit}. Archive features or raise the limit.`;
  return [invalidOperation(message)];
}

/** Rejects new active features that would exceed the limit of the instance. */
export async function rejectOverInstanceLimit(
  tx: Tx,
  instanceLimit: number,
  addedCount: number,
): Promise<void> {
  for (const error of await findInstanceLimitErrors(tx, instanceLimit, addedCount)) throw error;
}

/** Returns the error for a full instance, so that a change can list it with other errors. */
export async function findInstanceLimitErrors(
  tx: Tx,
  instanceLimit: number,
  addedCount: number,
): Promise<ApiError[]> {
  if ((await countActiveInInstance(tx)) + addedCount <= instanceLimit) return [];
  return [
    exceedsLimit(`This instance can have at most ${instanceLimit} active features. Archive some first.`),
  ];
}

/** Compiles the pattern once for all names. */
export function makeNameMatcher(pattern: string | null): (name: string) => boolean {
  const compiledPattern = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiledPattern?.matches(name) === true;
}

/** Returns one error for each name that does not match. */
export function findNamingPatternErrors(
  project: string,
  { namingPattern, namingExample, namingDescription }: TargetProject,
  names: string[],
  path?: string,
): ApiError[] {
  const matchesPattern = makeNameMatcher(namingPattern);
  const example = namingExample === null ? '' : ` Example: "${namingExample}".`;
  const description = namingDescription === null ? '' : ` Description: "${namingDescription}"`;
  return names
    .filter(name => !matchesPattern(name))
    .map(name => {
      const message = `Name "${name}" does not match the naming pattern of project "${project}": ${namingPattern}.${example}${description}`;
      return new ApiError('PatternError', message, {
        details: [{ message, ...(path === undefined ? {} : { path }) }],
      });
    });
}
