import { randomBytes } from 'node:crypto';
import {
  ApiError,
  badData,
  exceedsLimit,
  nameExists,
  unknownEnvironment,
} from '@halyard/plane/platform/errors.ts';
import { grantProjectRole } from '../../people/grants/grant.ts';
import { isAccount } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { checkNaming } from './naming.ts';
import { type NewProject, RESERVED_IDS } from './schema.ts';
import {
  addEnvironments,
  countProjects,
  deleteProject,
  hasEvents,
  insertProject,
  listEnvironmentNames,
  type ProjectFields,
  type ProjectState,
} from './store.ts';

const MAX_SLUG_LENGTH = 90;

/** Creates a project and returns its id. A user or service account that creates a project becomes its owner. */
export async function createProject(
  current: Change,
  input: NewProject,
  limit = Number.POSITIVE_INFINITY,
): Promise<string> {
  const { tx, actor, record } = current;
  if ((await countProjects(tx)) >= limit)
    throw exceedsLimit(`The instance already has ${limit} projects, the maximum. Delete one first.`);
  const fields = {
    name: input.name,
    description: input.description ?? '',
    mode: input.mode ?? 'open',
    defaultStickiness: input.defaultStickiness ?? 'default',
    featureLimit: null,
    debtBudget: null,
    requireComment: false,
    featureNaming: checkNaming(input.featureNaming ?? {}),
  };
  const id = await insertWithId(current, input.id, fields);
  const environments = await addEnvironments(tx, id, input.environments);
  rejectUnknownEnvironments(input.environments ?? [], environments);
  record({ type: 'project-created', project: id, data: { id, ...fields, environments } });
  if (isAccount(actor)) await grantProjectRole(current, actor.userId, 'Owner', id);
  return id;
}

async function insertWithId(
  { tx, actor }: Change,
  id: string | undefined,
  fields: Omit<ProjectFields, 'id'>,
): Promise<string> {
  if (id === undefined) return await insertWithDerivedId(tx, fields);
  if (!(await insertProject(tx, { id, ...fields }))) throw nameExists(`Project "${id}"`);
  if (!actor.isAdmin && (await hasEvents(tx, id))) throw usedIdError(id);
  return id;
}

async function insertWithDerivedId(tx: Tx, fields: Omit<ProjectFields, 'id'>): Promise<string> {
  for (const id of idsFor(fields.name)) {
    if (!(await insertProject(tx, { id, ...fields }))) continue;
    if (!(await hasEvents(tx, id))) return id;
    await deleteProject(tx, id);
  }
  throw new Error('A new random project id already exists');
}

const usedIdError = (id: string): ApiError =>
  new ApiError(
    'NameExistsError',
    `A deleted project had the id "${id}". Its events would become visible to the readers of a new project with this id. Choose another id, or ask a root admin to create the project.`,
  );

/** Yields ids to try for a name: the slug of the name, then numbered slugs, and finally a slug with a random suffix. */
export function* idsFor(name: string): Generator<string> {
  const slug =
    name
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, MAX_SLUG_LENGTH) || 'project';
  if (!RESERVED_IDS.includes(slug)) yield slug;
  for (let number = 2; number < 10; number++) yield `${slug}-${number}`;
  yield `${slug}-${randomBytes(4).toString('hex')}`;
}

/** Rejects unknown environments in the body of a new project. */
export async function checkEnvironments(db: Reader, names: string[] = []): Promise<void> {
  rejectUnknownEnvironments(names, await listEnvironmentNames(db, names));
}

function rejectUnknownEnvironments(names: string[], existingNames: string[]): void {
  const unknownNames = names.filter(name => !existingNames.includes(name));
  if (unknownNames.length === 0) return;
  throw badData(
    unknownNames.map(name => ({
      message: unknownEnvironment(name),
      path: '/body/environments',
    })),
  );
}

/** Returns every field that users can edit, so that any past state can be rebuilt from the events. */
export function toEventData({ archivedAt: _, ...fields }: ProjectState): object {
  return fields;
}
