import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { EnvironmentReach, EventReach } from './schema.ts';
import { findChange, findReach } from './store.ts';

export type Page = { limit: number; offset: number };

/** Reads how far the change behind an event has spread. Throws a 404 error for an event the caller cannot see. */
export async function readReach(db: Reader, actor: Actor, id: number, page: Page): Promise<EventReach> {
  const change = await findChange(db, actor, id);
  if (!change) throw notFound(`Event ${id}`);
  const parts = await findReach(db, actor, change, page);
  const environments = parts.environments.map(environment => ({
    ...environment,
    state: computeState(environment, parts.isComplete),
  }));
  const state = computeOverallState(environments);
  return {
    eventId: id,
    state,
    liveSince: state === 'live' ? findLatestTime(environments) : null,
    environments,
    missing: parts.instances,
    total: parts.total,
  };
}

/** Returns whether the state is final, so that a caller need not wait any longer. */
export const isSettled = ({ state, environments }: EventReach): boolean =>
  state !== 'behind' && (state !== 'unknown' || environments.every(({ instances }) => instances === 0));

/** Without a known instance, the state is unknown rather than live. */
function computeState(
  { instances, live }: Omit<EnvironmentReach, 'state'>,
  isComplete: boolean,
): EnvironmentReach['state'] {
  if (live < instances) return 'behind';
  return isComplete && instances > 0 ? 'live' : 'unknown';
}

/** Ignores environments without instances, unless no environment has any. */
function computeOverallState(environments: EnvironmentReach[]): EventReach['state'] {
  if (environments.length === 0) return 'unchanged';
  if (environments.some(({ state }) => state === 'behind')) return 'behind';
  const isLive = environments.every(({ state, instances }) => state === 'live' || instances === 0);
  return isLive && environments.some(({ state }) => state === 'live') ? 'live' : 'unknown';
}

/**
 * Instances that started after the change never lacked it, so they set no `lastAt`. Without other instances, the time of the
 * commit counts.
 */
const findLatestTime = (environments: EnvironmentReach[]): string | null =>
  environments
    .filter(({ state }) => state === 'live')
    .map(({ lastAt, publishedAt }) => lastAt ?? publishedAt)
    .sort()
    .at(-1) ?? null;
