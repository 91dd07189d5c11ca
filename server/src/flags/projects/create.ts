import { randomBytes } from 'node:crypto';
import { grantProjectRole } from '../../people/grants/grant.ts';
import { type Actor, isAccount } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { badData, exceedsLimit, nameExists } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import type { NewProject, Project } from './schema.ts';
import {
  addEnvironments,
  countProjects,
  findProject,
  insertProject,
  listEnvironmentNames,
  type ProjectFields,
} from './store.ts';

const MAX_SLUG_LENGTH = 90;

/** Creates a project; a user or service account that does it becomes its owner. */
export async function createProject(
  db: Db,
  actor: Actor,
  input: NewProject,
  most = Number.POSITIVE_INFINITY,
): Promise<Project> {
  return await change(db, actor, async ({ tx, record }) => {
    if ((await countProjects(tx)) >= most) {
      throw exceedsLimit(`There are at most ${most} projects. Delete one first.`);
    }
    const id = await insertWithId(tx, input.id, {
      name: input.name,
      description: input.description ?? '',
      mode: input.mode ?? 'open',
      defaultStickiness: input.defaultStickiness ?? 'default',
      featureLimit: null,
      debtBudget: null,
      featureNaming: {},
    });
    await connectEnvironments(tx, id, input.environments);
    const project = await findProject(tx, actor, id);
    if (!project) throw new Error(`Project ${id} vanished in the transaction that made it`);

    record({ type: 'project-created', project: id, data: asEventData(project) });
    if (!isAccount(actor)) return project;
    await grantProjectRole({ tx, actor, record }, actor.userId, 'Owner', id);
    return (await findProject(tx, actor, id)) ?? project;
  });
}

async function insertWithId(
  tx: Tx,
  given: string | undefined,
  fields: Omit<ProjectFields, 'id'>,
): Promise<string> {
  for (const id of given === undefined ? idsFor(fields.name) : [given]) {
    if (await insertProject(tx, { id, ...fields })) return id;
  }
  throw nameExists(`A project with the id ${given}`);
}

/** Ids made from a name: the name itself, then numbered ones, at last one that is surely free. */
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
  yield slug;
  for (let number = 2; number < 10; number++) yield `${slug}-${number}`;
  yield `${slug}-${randomBytes(4).toString('hex')}`;
}

async function connectEnvironments(tx: Tx, id: string, wanted: string[] | undefined): Promise<void> {
  refuseUnknownEnvironments(wanted ?? [], await addEnvironments(tx, id, wanted));
}

/** The same for a request that is rejected anyway. */
export async function checkEnvironments(db: Reader, wanted: string[] = []): Promise<void> {
  refuseUnknownEnvironments(wanted, await listEnvironmentNames(db, wanted));
}

function refuseUnknownEnvironments(wanted: string[], found: string[]): void {
  const unknown = wanted.filter(name => !found.includes(name));
  if (unknown.length === 0) return;
  throw badData(
    unknown.map(name => ({ message: `environment ${name} does not exist`, path: '/body/environments' })),
  );
}

/** What events tell of a project: all that its owner wrote, so that any past state can be rebuilt. */
export function asEventData({
  members: _,
  favorite: __,
  createdAt: ___,
  updatedAt: ____,
  archivedAt: _____,
  ...fields
}: Project): object {
  return fields;
}
