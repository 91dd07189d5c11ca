import { sql } from 'kysely';
import { authenticationRequired } from '../../../plane/src/platform/errors.ts';
import {
  outOfScope,
  requireEnvironmentsInScope,
  requireInstanceInScope,
  requireProjectInScope,
} from '../access/scope.ts';
import type { Actor, TokenScope } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { type RaisedRollout, registeredWriters } from './change-writers.ts';
import type { NewEvent } from './events/new-event.ts';

/**
 * Rejects a change that leaves the scope of the actor's token. The guard has checked what the request names; this sees what the
 * change did, so no operation can forget it. A tag exists outside projects, but tagging a flag of a project may create it.
 */
export async function keepWithinScope(tx: Tx, actor: Actor, events: NewEvent[]): Promise<void> {
  const { scope, token } = actor;
  if (scope === undefined || token === undefined) return;
  if (scope.readOnly) throw outOfScope('it is read-only');
  for (const { type, project, environment } of events) {
    if (project) requireProjectInScope(actor, project);
    else if (type !== 'tag-created') requireInstanceInScope(actor);
    if (environment) requireEnvironmentsInScope(actor, [environment]);
  }
  if (scope.maxProductionRollout !== undefined) await keepRollout(tx, scope.maxProductionRollout, events);
  if (scope.maxChanges !== undefined) await takeChanges(tx, token.id, scope, events.length);
}

async function keepRollout(tx: Tx, allowed: number, events: NewEvent[]): Promise<void> {
  const raised = await registeredWriters().raisedRollout(tx, allowed, events);
  if (raised === undefined) return;
  throw outOfScope(`it allows a rollout of at most ${allowed} % in production, and ${described(raised)}`);
}

function described({ cause, featureName, project, environment, segment, rollout }: RaisedRollout): string {
  const flag = featureName === null ? `by default in project "${project}"` : `for feature "${featureName}"`;
  const result = `this would be ${rollout} % ${flag} in environment "${environment}"`;
  switch (cause) {
    case 'strategy':
      return result;
    case 'groups':
      return `${result}, because strategies with different groups or stickiness add up`;
    case 'dependency':
      return `this would remove or change a dependency of feature "${featureName}", which has a rollout of ${rollout} % in environment "${environment}"`;
    case 'segment':
      return `this would change segment "${segment}", which limits a rollout of ${rollout} % in environment "${environment}"`;
  }
}

/**
 * Deducts the events of a change from the number that the token has left. Changes with the same token wait for each other here,
 * so together they never exceed it.
 */
async function takeChanges(
  tx: Tx,
  tokenId: number,
  { maxChanges }: TokenScope,
  wanted: number,
): Promise<void> {
  const { rows } = await sql<{ left: number; taken: boolean }>`
    with locked as materialized (
      select id, changes_left from personal_access_tokens where id = ${tokenId} for no key update
    ), taken as (
      update personal_access_tokens as token set changes_left = locked.changes_left - ${wanted}::integer
      from locked where token.id = locked.id and locked.changes_left >= ${wanted}::integer
      returning 1
    )
    select coalesce(changes_left, 0) as left, exists (select from taken) as taken from locked`.execute(tx);
  const [found] = rows;
  if (!found) throw authenticationRequired('token');
  if (found.taken) return;
  throw outOfScope(
    `it allows ${maxChanges} ${maxChanges === 1 ? 'change' : 'changes'}, ${found.left} of them are left, and this needs ${wanted}`,
  );
}
