import type { Reader, Tx } from '../../platform/db/database.ts';
import {
  ApiError,
  counted,
  exceedsLimit,
  invalidOperation,
  isArchived,
  notFound,
} from '../../platform/errors.ts';
import { compilePattern } from '../../platform/pattern.ts';
import { budgetErrors } from '../technical-debt/budget.ts';
import {
  countActiveInInstance,
  findReceivingProject,
  lockReceivingProject,
  type ReceivingProject,
} from './store.ts';

/**
 * Every reason for which the project does not accept features of these names. Holds the project until the transaction ends,
 * and throws if it does not exist or is archived.
 */
export async function admissionErrors(tx: Tx, project: string, names: string[]): Promise<ApiError[]> {
  const receiving = await holdReceivingProject(tx, project);
  return [
    ...namingPatternErrors(names, receiving),
    ...featureLimitErrors(project, receiving, names.length),
    ...(await budgetErrors(tx, project)),
  ];
}

/** What the project asks of features that come into it; nobody else can take a place until the transaction ends. */
export async function holdReceivingProject(tx: Tx, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await lockReceivingProject(tx, project));
}

/** The same, for who only wants to know. */
export async function readReceivingProject(db: Reader, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await findReceivingProject(db, project));
}

function unlessArchived(project: string, receiving: ReceivingProject | undefined): ReceivingProject {
  if (!receiving) throw notFound(`Project ${project}`);
  if (receiving.archived) throw isArchived('Project', [project]);
  return receiving;
}

/** Refuses more active features than the project has places for. */
export function refuseOverfull(project: string, receiving: ReceivingProject, more: number): void {
  for (const error of featureLimitErrors(project, receiving, more)) throw error;
}

function featureLimitErrors(
  project: string,
  { featureLimit, activeFeatures }: ReceivingProject,
  more: number,
): ApiError[] {
  if (featureLimit === null || activeFeatures + more <= featureLimit) return [];
  const why = `Project ${project} has ${counted(activeFeatures, 'active feature')}, and its limit is ${featureLimit}.`;
  return [invalidOperation(why)];
}

/** Refuses more active features than the instance may hold. */
export async function admitToInstance(tx: Tx, most: number, more: number): Promise<void> {
  for (const error of await instanceLimitErrors(tx, most, more)) throw error;
}

/** The error of an instance that is full, for a change that lists it with other reasons. */
export async function instanceLimitErrors(tx: Tx, most: number, more: number): Promise<ApiError[]> {
  if ((await countActiveInInstance(tx)) + more <= most) return [];
  return [exceedsLimit(`There are at most ${most} active features. Archive some first.`)];
}

/** Compiled once, however many names are asked about. */
export function nameMatcher(pattern: string | null): (name: string) => boolean {
  const compiled = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiled?.matches(name) === true;
}

/** One error for each name that does not match. */
export function namingPatternErrors(
  names: string[],
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
): ApiError[] {
  const fits = nameMatcher(namingPattern);
  const example = namingExample === null ? '' : ` An example: ${namingExample}.`;
  const meaning = namingDescription === null ? '' : ` ${namingDescription}`;
  return names
    .filter(name => !fits(name))
    .map(
      name =>
        new ApiError(
          'PatternError',
          `The project wants names that match ${namingPattern}, and ${name} does not.${example}${meaning}`,
        ),
    );
}
