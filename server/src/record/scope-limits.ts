import { authenticationRequired } from '@halyard/plane/platform/errors.ts';
import { sql } from 'kysely';
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
 * Rejects a change that leaves the scope of the actor's token. The guard has checked what the request names. This function checks
 * what the change actually did, so that the check does not depend on each operation. Creating a tag is always allowed, because
 * tagging a flag in a project may create one, although tags do not belong to projects.
 */
export async function requireChangeInScope(tx: Tx, actor: Actor, events: NewEvent[]): Promise<void> {
  const { scope, token } = actor;
  if (scope === undefined || token === undefined) return;
  if (scope.readOnly) throw outOfScope('it is read-only');
  for (const { type, project, environment } of events) {
    if (project) requireProjectInScope(actor, project);
    else if (type !== 'tag-created') requireInstanceInScope(actor);
    if (environment) requireEnvironmentsInScope(actor, [environment]);
  }
  if (scope.maxProductionRollout !== undefined)
    await requireRolloutInScope(tx, scope.maxProductionRollout, events);
  if (scope.maxChanges !== undefined) await deductChanges(tx, token.id, scope, events.length);
}

async function requireRolloutInScope(tx: Tx, maxRollout: number, events: NewEvent[]): Promise<void> {
  const raisedRollout = await registeredWriters().raisedRollout(tx, maxRollout, events);
  if (raisedRollout === undefined) return;
  throw outOfScope(
    `it allows a rollout of at most ${maxRollout} % in production, and ${describeRollout(raisedRollout)}`,
  );
}

function describeRollout({
  cause,
  featureName,
  project,
  environment,
  segment,
  rollout,
}: RaisedRollout): string {
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
 * Deducts the events of a change from the number that the token has left. Changes with the same token wait for each other here, so
 * together they never exceed that number.
 */
async function deductChanges(
  tx: Tx,
  tokenId: number,
  { maxChanges }: TokenScope,
  count: number,
): Promise<void> {
  const { rows } = await sql<{ left: number; taken: boolean }>`
    with locked as materialized (
      select id, changes_left from personal_access_tokens where id = ${tokenId} for no key update
    ), taken as (
      update personal_access_tokens as token set changes_left = locked.changes_left - ${count}::integer
      from locked where token.id = locked.id and locked.changes_left >= ${count}::integer
      returning 1
    )
    select coalesce(changes_left, 0) as left, exists (select from taken) as taken from locked`.execute(tx);
  const [token] = rows;
  if (!token) throw authenticationRequired('token');
  if (token.taken) return;
  throw outOfScope(
    `it allows ${maxChanges} ${maxChanges === 1 ? 'change' : 'changes'}, ${token.left} ${token.left === 1 ? 'is' : 'are'} left, and this needs ${count}`,
  );
}
