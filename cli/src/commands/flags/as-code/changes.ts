import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../../../errors.ts';
import type { Method } from '../../../requests.ts';
import { completeVariant, type FlagState, type Segments, type Strategy, type Variant } from './state.ts';

/** A change that takes one request. */
export type Change = {
  flag: string;
  environment?: string;
  does: 'create' | 'update' | 'tag' | 'strategies' | 'variants' | 'enable' | 'disable' | 'archive';
  from?: unknown;
  to?: unknown;
};

const FIELDS = ['type', 'description', 'stale', 'impressionData'] as const;

const pick = (state: FlagState, keys: readonly (keyof FlagState)[]): Partial<FlagState> =>
  Object.fromEntries(keys.map(key => [key, state[key]]));

/** Lists the changes from the current state of a flag to the desired state. Disabling comes first, and enabling last. */
export function changesFor(
  flag: string,
  current: Required<FlagState> | undefined,
  desired: FlagState,
): Change[] {
  if (current === undefined) {
    const { type, description, impressionData } = desired;
    return [
      {
        flag,
        does: 'create',
        to: {
          ...(type && { type }),
          ...(description && { description }),
          ...(impressionData && { impressionData }),
        },
      },
    ];
  }
  const changes: Change[] = [];
  const fields = FIELDS.filter(key => desired[key] !== undefined && desired[key] !== current[key]);
  if (fields.length > 0)
    changes.push({ flag, does: 'update', from: pick(current, fields), to: pick(desired, fields) });
  if (desired.tags && !isDeepStrictEqual(desired.tags, current.tags))
    changes.push({ flag, does: 'tag', from: current.tags, to: desired.tags });
  for (const [environment, desiredState] of Object.entries(desired.environments ?? {})) {
    const currentState = current.environments[environment];
    if (!currentState)
      throw usageError(
        `Flag "${flag}" has no environment ${JSON.stringify(environment)}. It has ${Object.keys(current.environments).join(', ')}.`,
      );
    const isToggled = desiredState.enabled !== undefined && desiredState.enabled !== currentState.enabled;
    if (isToggled && !desiredState.enabled) changes.push({ flag, environment, does: 'disable' });
    if (desiredState.strategies && !isDeepStrictEqual(desiredState.strategies, currentState.strategies))
      changes.push({
        flag,
        environment,
        does: 'strategies',
        from: currentState.strategies,
        to: desiredState.strategies,
      });
    if (desiredState.variants && !isDeepStrictEqual(desiredState.variants, currentState.variants))
      changes.push({
        flag,
        environment,
        does: 'variants',
        from: currentState.variants,
        to: desiredState.variants,
      });
    if (isToggled && desiredState.enabled) changes.push({ flag, environment, does: 'enable' });
  }
  return changes;
}

export type PlannedChange = { method: Method; path: string; body?: unknown };

const parseTag = (tag: string) => ({
  type: tag.slice(0, tag.indexOf(':')),
  value: tag.slice(tag.indexOf(':') + 1),
});

/** Returns the request that makes a change. */
export function requestFor(
  { flag, environment, does, from, to }: Change,
  project: string,
  segments: Segments,
): PlannedChange {
  const featuresPath = `/api/admin/projects/${encodeURIComponent(project)}/features`;
  const featurePath = `${featuresPath}/${encodeURIComponent(flag)}`;
  const environmentPath = `${featurePath}/environments/${encodeURIComponent(environment ?? '')}`;
  const [previousTags, desiredTags] = [(from ?? []) as string[], (to ?? []) as string[]];
  switch (does) {
    case 'create':
      return { method: 'POST', path: featuresPath, body: { name: flag, ...(to as object) } };
    case 'update':
      return { method: 'PUT', path: featurePath, body: to };
    case 'tag':
      return {
        method: 'PUT',
        path: `/api/admin/features/${encodeURIComponent(flag)}/tags`,
        body: {
          addedTags: desiredTags.filter(tag => !previousTags.includes(tag)).map(parseTag),
          removedTags: previousTags.filter(tag => !desiredTags.includes(tag)).map(parseTag),
        },
      };
    case 'strategies':
      return {
        method: 'PUT',
        path: `${environmentPath}/strategies`,
        body: (to as Strategy[]).map(strategy => withSegmentIds(strategy, segments)),
      };
    case 'variants':
      return {
        method: 'PUT',
        path: `${environmentPath}/variants`,
        body: (to as Variant[]).map(completeVariant),
      };
    case 'enable':
      return { method: 'POST', path: `${environmentPath}/on` };
    case 'disable':
      return { method: 'POST', path: `${environmentPath}/off` };
    case 'archive':
      return { method: 'DELETE', path: featurePath };
  }
}

function withSegmentIds(strategy: Strategy, segments: Segments): object {
  const ids = (strategy.segments ?? []).map(name => {
    const segment = segments.find(candidate => candidate.name === name);
    if (!segment)
      throw usageError(`There is no segment ${JSON.stringify(name)}, or you do not have access to it.`);
    return segment.id;
  });
  return { ...strategy, segments: ids, variants: (strategy.variants ?? []).map(completeVariant) };
}

/** Returns the name of a plan. The same changes from the same state have the same name. */
export const computePlanName = (project: string, changes: Change[]): string =>
  createHash('sha256')
    .update(JSON.stringify([project, changes]))
    .digest('hex')
    .slice(0, 16);
