import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { wrongUse } from '../../../errors.ts';
import type { Method } from '../../../requests.ts';
import { type FlagState, type Segments, type Strategy, type Variant, wholeVariant } from './state.ts';

/** One request, and a description of what it changes. */
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

/** The changes from the current state of a flag to the desired one. Disabling comes first, enabling last. */
export function changesFor(
  flag: string,
  current: Required<FlagState> | undefined,
  wanted: FlagState,
): Change[] {
  if (current === undefined) {
    const { type, description, impressionData } = wanted;
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
  const fields = FIELDS.filter(key => wanted[key] !== undefined && wanted[key] !== current[key]);
  if (fields.length > 0)
    changes.push({ flag, does: 'update', from: pick(current, fields), to: pick(wanted, fields) });
  if (wanted.tags && !isDeepStrictEqual(wanted.tags, current.tags))
    changes.push({ flag, does: 'tag', from: current.tags, to: wanted.tags });
  for (const [environment, want] of Object.entries(wanted.environments ?? {})) {
    const have = current.environments[environment];
    if (!have)
      throw wrongUse(
        `Flag "${flag}" has no environment ${JSON.stringify(environment)}. It has ${Object.keys(current.environments).join(', ')}.`,
      );
    const toggles = want.enabled !== undefined && want.enabled !== have.enabled;
    if (toggles && !want.enabled) changes.push({ flag, environment, does: 'disable' });
    if (want.strategies && !isDeepStrictEqual(want.strategies, have.strategies))
      changes.push({ flag, environment, does: 'strategies', from: have.strategies, to: want.strategies });
    if (want.variants && !isDeepStrictEqual(want.variants, have.variants))
      changes.push({ flag, environment, does: 'variants', from: have.variants, to: want.variants });
    if (toggles && want.enabled) changes.push({ flag, environment, does: 'enable' });
  }
  return changes;
}

export type Planned = { method: Method; path: string; body?: unknown };

const split = (tag: string) => ({
  type: tag.slice(0, tag.indexOf(':')),
  value: tag.slice(tag.indexOf(':') + 1),
});

/** The request that carries out a change. */
export function requestFor(
  { flag, environment, does, from, to }: Change,
  project: string,
  segments: Segments,
): Planned {
  const features = `/api/admin/projects/${encodeURIComponent(project)}/features`;
  const feature = `${features}/${encodeURIComponent(flag)}`;
  const place = `${feature}/environments/${encodeURIComponent(environment ?? '')}`;
  const [before, after] = [(from ?? []) as string[], (to ?? []) as string[]];
  switch (does) {
    case 'create':
      return { method: 'POST', path: features, body: { name: flag, ...(to as object) } };
    case 'update':
      return { method: 'PUT', path: feature, body: to };
    case 'tag':
      return {
        method: 'PUT',
        path: `/api/admin/features/${encodeURIComponent(flag)}/tags`,
        body: {
          addedTags: after.filter(tag => !before.includes(tag)).map(split),
          removedTags: before.filter(tag => !after.includes(tag)).map(split),
        },
      };
    case 'strategies':
      return {
        method: 'PUT',
        path: `${place}/strategies`,
        body: (to as Strategy[]).map(one => withIds(one, segments)),
      };
    case 'variants':
      return { method: 'PUT', path: `${place}/variants`, body: (to as Variant[]).map(wholeVariant) };
    case 'enable':
      return { method: 'POST', path: `${place}/on` };
    case 'disable':
      return { method: 'POST', path: `${place}/off` };
    case 'archive':
      return { method: 'DELETE', path: feature };
  }
}

function withIds(strategy: Strategy, segments: Segments): object {
  const ids = (strategy.segments ?? []).map(name => {
    const found = segments.find(one => one.name === name);
    if (!found) throw wrongUse(`There is no segment ${JSON.stringify(name)}, or you may not see it.`);
    return found.id;
  });
  return { ...strategy, segments: ids, variants: (strategy.variants ?? []).map(wholeVariant) };
}

/** Identifies the plan: the same changes from the same state have the same id. */
export const nameOf = (project: string, changes: Change[]): string =>
  createHash('sha256')
    .update(JSON.stringify([project, changes]))
    .digest('hex')
    .slice(0, 16);
