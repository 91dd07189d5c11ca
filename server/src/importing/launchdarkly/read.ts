import { any } from '../rules/logic.ts';
import {
  type Flag,
  type Rule,
  type Serve,
  type Targeting,
  UnsupportedError,
  type Variation,
} from '../rules/model.ts';
import { catchUnsupported, makeVariantNames } from '../rules/read.ts';
import { makeClauseReader, type ReadClauses, toContextField } from './clauses.ts';
import type { Environment, Fallthrough, LaunchDarklyFlag, Project, Target } from './schema.ts';

/** The total weight of a rollout. LaunchDarkly measures weights in thousandths of a percent. */
const FULL_WEIGHT = 100_000;

export function readLaunchDarkly({ flags, segments }: Project): Flag[] {
  const readers = new Map<string, ReadClauses>();
  const getReader = (environment: string): ReadClauses => {
    const reader = readers.get(environment) ?? makeClauseReader(segments[environment] ?? []);
    readers.set(environment, reader);
    return reader;
  };
  return flags
    .filter(({ archived }) => !archived)
    .map(flag => ({
      key: flag.key,
      description: flag.description || flag.name || '',
      tags: flag.tags ?? [],
      type: flag.temporary === false ? 'operational' : 'release',
      variations: toVariations(flag),
      environments: new Map(
        Object.entries(flag.environments).map(([name, environment]) => [
          name,
          catchUnsupported(() => toTargeting(environment, getReader(name))),
        ]),
      ),
    }));
}

const isBoolean = ({ variations }: LaunchDarklyFlag): boolean =>
  variations.every(({ value }) => typeof value === 'boolean');

function toVariations(flag: LaunchDarklyFlag): Variation[] {
  const names = makeVariantNames(flag.variations.map(({ name, value }) => name || toText(value)));
  return flag.variations.map(({ value }, index) => {
    const name = names[index] ?? '';
    if (isBoolean(flag)) return { name, enabled: value === true };
    const type = typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'json';
    return { name, enabled: true, payload: { type, value: toText(value) } };
  });
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function toTargeting(environment: Environment, readClauses: ReadClauses): Targeting {
  const { on, rules = [], fallthrough = {}, offVariation, prerequisites = [] } = environment;
  return {
    on,
    off: offVariation,
    otherwise: toServe(fallthrough),
    rules: [
      ...mergeTargets(environment).map(toTargetRule),
      ...rules.map((rule, index) => ({
        title: rule.description || `Rule ${index + 1}`,
        when: readClauses(rule.clauses),
        serve: toServe(rule),
      })),
    ],
    parents: prerequisites,
  };
}

/** Merges the two lists of targets. User targets are in both lists, but the second list has no values for them. */
const mergeTargets = ({ targets = [], contextTargets = [] }: Environment): Target[] =>
  [...targets, ...contextTargets].filter(({ values }) => values.length > 0);

const toTargetRule = ({ values, variation, contextKind }: Target): Rule => ({
  title: 'Individual targets',
  when: any([[{ field: toContextField('key', contextKind), operator: 'IN', values, negated: false }]]),
  serve: { variation },
});

function toServe({ variation, rollout }: Fallthrough): Serve {
  if (variation !== undefined) return { variation };
  if (!rollout) throw new UnsupportedError('a rule that serves nothing');
  if (rollout.experimentAllocation) throw new UnsupportedError('an experiment');
  const { contextKind = 'user', bucketBy = 'key' } = rollout;
  return {
    // With the default stickiness, Unleash SDKs use the session to split users who are not logged in.
    by: contextKind === 'user' && bucketBy === 'key' ? 'default' : toContextField(bucketBy, contextKind),
    split: rollout.variations.map(weightedVariation => ({
      variation: weightedVariation.variation,
      weight: weightedVariation.weight / FULL_WEIGHT,
    })),
  };
}
