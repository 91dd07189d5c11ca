import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { EnvironmentReach, EventReach } from './schema.ts';
import { findChange, findReach } from './store.ts';

export type Page = { limit: number; offset: number };

/** How far the change of an event has reached. Rejects an event that the caller cannot see with 404. */
export async function readReach(db: Reader, actor: Actor, id: number, page: Page): Promise<EventReach> {
  const change = await findChange(db, actor, id);
  if (!change) throw notFound(`Event ${id}`);
  const parts = await findReach(db, actor, change, page);
  const environments = parts.environments.map(one => ({ ...one, state: stateOf(one, parts.isComplete) }));
  const state = overall(environments);
  return {
    eventId: id,
    state,
    liveSince: state === 'live' ? latest(environments) : null,
    environments,
    missing: parts.instances,
    total: parts.total,
  };
}

/** Whether nothing more can happen that a caller would wait for. */
export const isSettled = ({ state, environments }: EventReach): boolean =>
  state !== 'behind' && (state !== 'unknown' || environments.every(({ instances }) => instances === 0));

/** Without a known instance, the state is unknown rather than live. */
function stateOf(
  { instances, live }: Omit<EnvironmentReach, 'state'>,
  isComplete: boolean,
): EnvironmentReach['state'] {
  if (live < instances) return 'behind';
  return isComplete && instances > 0 ? 'live' : 'unknown';
}

/** Environments that no instance uses do not count, unless no environment is in use. */
function overall(environments: EnvironmentReach[]): EventReach['state'] {
  if (environments.length === 0) return 'unchanged';
  if (environments.some(({ state }) => state === 'behind')) return 'behind';
  const isLive = environments.every(({ state, instances }) => state === 'live' || instances === 0);
  return isLive && environments.some(({ state }) => state === 'live') ? 'live' : 'unknown';
}

/** An instance that started after the change presents nothing earlier, so the commit is the latest time then. */
const latest = (environments: EnvironmentReach[]): string | null =>
  environments
    .filter(({ state }) => state === 'live')
    .map(({ lastAt, publishedAt }) => lastAt ?? publishedAt)
    .sort()
    .at(-1) ?? null;
