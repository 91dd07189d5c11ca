import { sql } from 'kysely';
import { authenticationRequired } from '../../../plane/src/platform/errors.ts';
import { outOfScope, requireEnvironmentsInScope, requireProjectInScope } from '../access/scope.ts';
import type { Actor, TokenScope } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';
import { registeredWriters } from './change-writers.ts';
import type { NewEvent } from './events/new-event.ts';

/**
 * Rejects a change that leaves the scope of the actor's token. The guard has checked what the request names; this sees what the
 * change did, so no operation can forget it.
 */
export async function keepWithinScope(tx: Tx, actor: Actor, events: NewEvent[]): Promise<void> {
  const { scope, token } = actor;
  if (scope === undefined || token === undefined) return;
  if (scope.readOnly) throw outOfScope('it is read-only');
  for (const { project, environment } of events) {
    if (project) requireProjectInScope(actor, project);
    if (environment) requireEnvironmentsInScope(actor, [environment]);
  }
  if (scope.maxProductionRollout !== undefined) await keepRollout(tx, scope.maxProductionRollout, events);
  if (scope.maxChanges !== undefined) await takeChanges(tx, token.id, scope, events.length);
}

async function keepRollout(tx: Tx, allowed: number, events: NewEvent[]): Promise<void> {
  const raised = await registeredWriters().raisedRollout(tx, allowed, events);
  if (raised === undefined) return;
  const { featureName, project, environment, rollout } = raised;
  const what = featureName === null ? `by default in project "${project}"` : `for feature "${featureName}"`;
  throw outOfScope(
    `it allows a rollout of at most ${allowed} % in production, and this would be ${rollout} % ${what} in environment "${environment}"`,
  );
}

/**
 * Takes the events of a change off the number that the token has left. Changes with the same token wait here for each other, so
 * together they never take more than there is.
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
