import {
  ApiError,
  counted,
  exceedsLimit,
  invalidOperation,
  isArchived,
  notFound,
} from '../../../../plane/src/platform/errors.ts';
import { compilePattern } from '../../../../plane/src/platform/pattern.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { budgetErrors } from '../technical-debt/budget.ts';
import {
  countActiveInInstance,
  findReceivingProject,
  lockReceivingProject,
  type ReceivingProject,
} from './store.ts';

/**
 * Every rule of the project that new features with these names break: naming pattern, feature limit, debt budget. Locks the
 * project until the transaction ends, and throws if it does not exist or is archived. `path` points to the name in the request.
 */
export async function projectRuleErrors(
  tx: Tx,
  project: string,
  names: string[],
  path?: string,
): Promise<ApiError[]> {
  const receiving = await lockActiveProject(tx, project);
  return [
    ...namingPatternErrors(project, receiving, names, path),
    ...featureLimitErrors(project, receiving, names.length),
    ...(await budgetErrors(tx, project)),
  ];
}

/** Locks the project, so that no other transaction adds a feature to it, and reads its rules for new features. */
export async function lockActiveProject(tx: Tx, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await lockReceivingProject(tx, project));
}

/** Reads the rules of the project for new features without a lock. */
export async function readActiveProject(db: Reader, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await findReceivingProject(db, project));
}

function unlessArchived(project: string, receiving: ReceivingProject | undefined): ReceivingProject {
  if (!receiving) throw notFound(`Project "${project}"`);
  if (receiving.archived) throw isArchived('Project', [project]);
  return receiving;
}

/** Rejects more active features than the limit of the project. */
export function rejectOverLimit(project: string, receiving: ReceivingProject, more: number): void {
  for (const error of featureLimitErrors(project, receiving, more)) throw error;
}

function featureLimitErrors(
  project: string,
  { featureLimit, activeFeatures }: ReceivingProject,
  more: number,
): ApiError[] {
  if (featureLimit === null || activeFeatures + more <= featureLimit) return [];
  const message = `Project "${project}" has ${counted(activeFeatures, 'active feature')} and a limit of ${featureLimit}. Archive features or raise the limit.`;
  return [invalidOperation(message)];
}

/** Rejects more active features than the limit of the instance. */
export async function rejectOverInstanceLimit(tx: Tx, most: number, more: number): Promise<void> {
  for (const error of await instanceLimitErrors(tx, most, more)) throw error;
}

/** The error for a full instance, for a change that lists it with other errors. */
export async function instanceLimitErrors(tx: Tx, most: number, more: number): Promise<ApiError[]> {
  if ((await countActiveInInstance(tx)) + more <= most) return [];
  return [exceedsLimit(`This instance can have at most ${most} active features. Archive some first.`)];
}

/** Compiles the pattern once for all names. */
export function nameMatcher(pattern: string | null): (name: string) => boolean {
  const compiled = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiled?.matches(name) === true;
}

/** One error for each name that does not match. */
export function namingPatternErrors(
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
