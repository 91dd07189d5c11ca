import { any } from '../rules/logic.ts';
import {
  type Flag,
  type Rule,
  type Serve,
  type Targeting,
  UnsupportedError,
  type Variation,
} from '../rules/model.ts';
import { attempt, variantNames } from '../rules/read.ts';
import { fieldOf, makeClauseReader, type ReadClauses } from './clauses.ts';
import type { Environment, Fallthrough, LaunchDarklyFlag, Project, Target } from './schema.ts';

/** Rollouts are in thousandths of a percent. */
const WHOLE = 100_000;

export function readLaunchDarkly({ flags, segments }: Project): Flag[] {
  const readers = new Map<string, ReadClauses>();
  const readerOf = (environment: string): ReadClauses => {
    const known = readers.get(environment) ?? makeClauseReader(segments[environment] ?? []);
    readers.set(environment, known);
    return known;
  };
  return flags
    .filter(({ archived }) => !archived)
    .map(flag => ({
      key: flag.key,
      description: flag.description || flag.name || '',
      tags: flag.tags ?? [],
      type: flag.temporary === false ? 'operational' : 'release',
      variations: variationsOf(flag),
      environments: new Map(
        Object.entries(flag.environments).map(([name, environment]) => [
          name,
          attempt(() => targetingOf(environment, readerOf(name))),
        ]),
      ),
    }));
}

const isBoolean = ({ variations }: LaunchDarklyFlag): boolean =>
  variations.every(({ value }) => typeof value === 'boolean');

function variationsOf(flag: LaunchDarklyFlag): Variation[] {
  const names = variantNames(flag.variations.map(({ name, value }) => name || textOf(value)));
  return flag.variations.map(({ value }, at) => {
    const name = names[at] ?? '';
    if (isBoolean(flag)) return { name, enabled: value === true };
    const type = typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'json';
    return { name, enabled: true, payload: { type, value: textOf(value) } };
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function targetingOf(environment: Environment, readClauses: ReadClauses): Targeting {
  const { on, rules = [], fallthrough = {}, offVariation, prerequisites = [] } = environment;
  return {
    on,
    off: offVariation,
    otherwise: serveOf(fallthrough),
    rules: [
      ...targetsOf(environment).map(ruleOfTarget),
      ...rules.map((rule, at) => ({
        title: rule.description || `Rule ${at + 1}`,
        when: readClauses(rule.clauses),
        serve: serveOf(rule),
      })),
    ],
    parents: prerequisites,
  };
}

/** Targets of users are in both lists; in the second one they have no values. */
const targetsOf = ({ targets = [], contextTargets = [] }: Environment): Target[] =>
  [...targets, ...contextTargets].filter(({ values }) => values.length > 0);

const ruleOfTarget = ({ values, variation, contextKind }: Target): Rule => ({
  title: 'Individual targets',
  when: any([[{ field: fieldOf('key', contextKind), operator: 'IN', values, negated: false }]]),
  serve: { variation },
});

function serveOf({ variation, rollout }: Fallthrough): Serve {
  if (variation !== undefined) return { variation };
  if (!rollout) throw new UnsupportedError('a rule serves nothing');
  if (rollout.experimentAllocation) throw new UnsupportedError('an experiment');
  const { contextKind = 'user', bucketBy = 'key' } = rollout;
  return {
    // A user who is not logged in gets a session, as in Unleash SDKs.
    by: contextKind === 'user' && bucketBy === 'key' ? 'default' : fieldOf(bucketBy, contextKind),
    split: rollout.variations.map(one => ({ variation: one.variation, weight: one.weight / WHOLE })),
  };
}
