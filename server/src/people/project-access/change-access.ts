import { isDeepStrictEqual } from 'node:util';
import { PROJECT_ROLES } from '../../access/roles.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import {
  ApiError,
  badData,
  exceedsLimit,
  invalidOperation,
  notFound,
  type Violation,
} from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { roleViolations } from '../roles/usable.ts';
import {
  deleteGrants,
  type Grant,
  hasOwner,
  holdGroups,
  holdUsers,
  insertGrants,
  listGrants,
  listRolesBeyond,
  lockAccess,
  type SingleGrant,
} from './store.ts';

/** 10,000 users and groups with 100 roles each would be a million rows. */
const MAX_GRANTS = 10_000;

/** What a request says about somebody: who, with which roles, and where in the request it says so. */
export type NamedGrant = Grant & { at: string; rolesAt: string };

/** From what is held and what the request says to what is to be held. */
type Rule = (before: Grant[], named: Grant[]) => Grant[];

/** The named have exactly the roles that are named, and nobody else has any. */
export const exactly: Rule = (_before, named) => named;

/** The named have exactly the roles that are named; the others keep theirs. */
export const replacing: Rule = (before, named) => {
  const replaced = new Set(named.map(holder));
  return [...before.filter(grant => !replaced.has(holder(grant))), ...named];
};

/** The named get the roles in addition. */
export const adding: Rule = (before, named) => [...before, ...named];

/** The roles are taken from the named. */
export const taking: Rule = (before, named) => {
  const taken = rolesByHolder(named);
  return before.map(grant => ({
    ...grant,
    roles: grant.roles.filter(role => !taken.get(holder(grant))?.includes(role)),
  }));
};

/** Changes the roles that users and groups hold in a project. Such changes of one project run one at a time. */
export async function changeAccess(
  current: Change,
  project: string,
  rule: Rule,
  named: NamedGrant[],
): Promise<void> {
  if (named.reduce((sum, { roles }) => sum + roles.length, 0) > MAX_GRANTS)
    throw exceedsLimit(`One request names at most ${MAX_GRANTS} pairs of a holder and a role.`);
  const { tx, actor } = current;
  if (!(await lockAccess(tx, project))) throw notFound(`Project ${project}`);
  await refuseUnknown(tx, project, named);
  const before = await listGrants(tx, project);
  const steps = stepsBetween(before, rule(before, named));
  if (steps.length === 0) return;
  await refuseBeyond(tx, actor, project, steps);

  await keepAnOwner(tx, project, steps, async () => {
    for (const kind of ['user', 'group'] as const) {
      const ofKind = steps.filter(step => step.kind === kind);
      const gone = singles(ofKind, 'before', 'after');
      const come = singles(ofKind, 'after', 'before');
      if (gone.length > 0) await deleteGrants(tx, project, kind, gone);
      if (come.length > 0) await insertGrants(tx, project, kind, come);
    }
  });
  recordSteps(current, project, steps);
}

const holder = ({ kind, id }: Grant): string => `${kind} ${id}`;

/** Each role once and in order, whoever names it how often. */
function rolesByHolder(grants: Grant[]): Map<string, number[]> {
  const roles = Map.groupBy(grants, holder);
  return new Map([...roles].map(([who, held]) => [who, inOrder(held.flatMap(grant => grant.roles))]));
}

const inOrder = (ids: number[]): number[] => [...new Set(ids)].toSorted((one, other) => one - other);

/** What changes for one of them. */
type Step = { kind: Grant['kind']; id: number; before: number[]; after: number[] };

function stepsBetween(earlier: Grant[], later: Grant[]): Step[] {
  const [before, after] = [rolesByHolder(earlier), rolesByHolder(later)];
  const everyone = new Map([...earlier, ...later].map(grant => [holder(grant), grant]));
  return [...everyone]
    .map(([who, { kind, id }]) => ({ kind, id, before: before.get(who) ?? [], after: after.get(who) ?? [] }))
    .filter(step => !isDeepStrictEqual(step.before, step.after));
}

function singles(steps: Step[], among: 'before' | 'after', not: 'before' | 'after'): SingleGrant[] {
  return steps.flatMap(step =>
    step[among].filter(role => !step[not].includes(role)).map(roleId => ({ id: step.id, roleId })),
  );
}

async function refuseUnknown(tx: Tx, project: string, named: NamedGrant[]): Promise<void> {
  const idsOf = (kind: Grant['kind']) => named.filter(one => one.kind === kind).map(({ id }) => id);
  const found = {
    user: new Set(await holdUsers(tx, project, idsOf('user'))),
    group: new Set(await holdGroups(tx, project, idsOf('group'))),
  };
  const roles = new Map(named.flatMap(({ roles, rolesAt }) => roles.map(id => [id, rolesAt])));
  const details: Violation[] = [
    ...named
      .filter(({ kind, id }) => !found[kind].has(id))
      .map(({ kind, id, at }) => ({ message: `${kind} ${id} does not exist`, path: at })),
    ...(await roleViolations(
      tx,
      'project',
      [...roles].map(([id, path]) => ({ id, path })),
    )),
  ];
  const inAddress = details.find(({ path }) => path?.startsWith('/params'));
  if (inAddress) throw new ApiError('NotFoundError', `${capitalised(inAddress.message)}.`);
  if (details.length > 0) throw badData(details);
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Nobody gives, or takes, what they may not do themselves; owners of the project and admins may. */
async function refuseBeyond(tx: Tx, actor: Actor, project: string, steps: Step[]): Promise<void> {
  if (actor.isAdmin) return;
  const touched = [...singles(steps, 'before', 'after'), ...singles(steps, 'after', 'before')];
  const beyond = await listRolesBeyond(tx, actor, project, inOrder(touched.map(({ roleId }) => roleId)));
  if (beyond.length === 0) return;
  throw new ApiError(
    'NoAccessError',
    `${beyond.join(', ')}: this may do more in the project than you. An owner of the project gives and takes it.`,
  );
}

/** A project that has an owner keeps one: whoever takes the role from the last gives it to another at the same time. */
async function keepAnOwner(tx: Tx, project: string, steps: Step[], work: () => Promise<void>): Promise<void> {
  const taken = singles(steps, 'before', 'after').some(({ roleId }) => roleId === PROJECT_ROLES.Owner);
  const had = taken && (await hasOwner(tx, project));
  await work();
  if (had && !(await hasOwner(tx, project))) {
    throw invalidOperation(
      `Project ${project} would have no owner any more. Give the role to another first.`,
    );
  }
}

function recordSteps({ record }: Change, project: string, steps: Step[]): void {
  const added = steps.filter(({ before }) => before.length === 0);
  if (added.length > 0) {
    const roles = inOrder(added.flatMap(({ after }) => after)).map(roleId => ({
      roleId,
      groupIds: holdersOf(added, 'group', roleId),
      userIds: holdersOf(added, 'user', roleId),
    }));
    record({ type: 'project-access-added', project, data: { roles } });
  }
  for (const { kind, id, before, after } of steps) {
    if (before.length === 0) continue;
    const holder = kind === 'user' ? { userId: id } : { groupId: id };
    const preData = { roles: before, ...holder };
    if (after.length === 0) record({ type: `project-access-${kind}-roles-deleted`, project, preData });
    else {
      const data = { roles: after, ...holder };
      record({ type: `project-access-${kind}-roles-updated`, project, data, preData });
    }
  }
}

const holdersOf = (steps: Step[], kind: Grant['kind'], roleId: number): number[] =>
  steps.filter(step => step.kind === kind && step.after.includes(roleId)).map(({ id }) => id);
