import { ALWAYS } from '../rules/logic.ts';
import {
  type Flag,
  type Rule,
  type Serve,
  type Targeting,
  UnsupportedError,
  type Variation,
} from '../rules/model.ts';
import { catchUnsupported, makeVariantNames, serveShare } from '../rules/read.ts';
import type { FliptFlag, FliptRule, Namespaces, Rollout } from './schema.ts';
import { makeSegmentReader, type ReadSegments } from './segments.ts';

type Namespace = Namespaces[number];

const FALSE: Variation = { name: 'false', enabled: false };
const BOOLEAN_VARIATIONS: Variation[] = [{ name: 'true', enabled: true }, FALSE];

/** Returns the flags of each namespace. Flipt exports have no environments, so each namespace becomes one. */
export function readFlipt(namespaces: Namespaces): Flag[] {
  const flags = namespaces.flatMap(readNamespace);
  // A Halyard flag has one description for all environments, so the first namespace that contains the flag provides it.
  const descriptions = new Map(flags.toReversed().map(({ key, description }) => [key, description]));
  return flags.map(flag => ({ ...flag, description: descriptions.get(flag.key) ?? '' }));
}

function readNamespace({ namespace, flags = [], segments = [] }: Namespace): Flag[] {
  const name = (typeof namespace === 'string' ? namespace : namespace?.key) || 'default';
  const readSegments = makeSegmentReader(segments);
  return flags.map(flag => {
    const isBoolean = flag.type === 'BOOLEAN_FLAG_TYPE';
    const readTargeting = isBoolean ? readBooleanTargeting : readVariantTargeting;
    return {
      key: flag.key,
      description: flag.description || flag.name || '',
      tags: [],
      type: 'release',
      variations: isBoolean ? BOOLEAN_VARIATIONS : listVariations(flag),
      environments: new Map([[name, catchUnsupported(() => readTargeting(flag, readSegments))]]),
    };
  });
}

/** In a boolean flag, `enabled` is only the default for users whom no rollout matches. */
const readBooleanTargeting = (
  { enabled = false, rollouts = [] }: FliptFlag,
  readSegments: ReadSegments,
): Targeting => ({
  on: true,
  off: undefined,
  parents: [],
  rules: rollouts.flatMap((rollout, index) => readRollout(rollout, index, readSegments)),
  otherwise: serveBoolean(enabled),
});

const serveBoolean = (value: boolean): { variation: number } => ({ variation: value ? 0 : 1 });

function readRollout(
  { description, segment, threshold }: Rollout,
  index: number,
  readSegments: ReadSegments,
): Rule[] {
  const title = description || `Rollout ${index + 1}`;
  if (threshold) {
    const { percentage = 0, value = false } = threshold;
    return serveShare(title, ALWAYS, serveBoolean(value).variation, percentage / 100, 'default');
  }
  if (segment === undefined) throw new UnsupportedError('a rollout without a segment or a threshold');
  const value = typeof segment === 'object' && 'value' in segment && segment.value === true;
  return [{ title, when: readSegments(segment), serve: serveBoolean(value) }];
}

/** Returns the variants, followed by a disabled variation for users who get no variant. */
function listVariations({ variants = [] }: FliptFlag): Variation[] {
  const names = makeVariantNames(variants.map(({ key }) => key));
  return [
    ...variants.map(({ key, attachment }, index): Variation => {
      const payload: Variation['payload'] =
        attachment === undefined || attachment === null
          ? { type: 'string', value: key }
          : { type: 'json', value: JSON.stringify(attachment) };
      return { name: names[index] ?? '', enabled: true, payload };
    }),
    FALSE,
  ];
}

function readVariantTargeting(flag: FliptFlag, readSegments: ReadSegments): Targeting {
  const { enabled = false, rules = [], variants = [] } = flag;
  const defaultIndex = variants.findIndex(variant => variant.default === true);
  const defaultVariation = defaultIndex < 0 ? variants.length : defaultIndex;
  return {
    on: enabled,
    off: defaultVariation,
    parents: [],
    rules: rules.map((rule, index) => {
      if (rule.segment === undefined) throw new UnsupportedError('a rule without a segment');
      return {
        title: `Rule ${index + 1}`,
        when: readSegments(rule.segment),
        serve: readDistributions(rule, flag, defaultVariation),
      };
    }),
    otherwise: { variation: defaultVariation },
  };
}

/** Users whom a rule matches but who are outside its distributions get the default variant. They do not continue with the next rule. */
function readDistributions(
  { distributions = [] }: FliptRule,
  flag: FliptFlag,
  defaultVariation: number,
): Serve {
  const shares = distributions
    .map(({ variant, rollout = 0 }) => ({
      variation: (flag.variants ?? []).findIndex(({ key }) => key === variant),
      weight: rollout / 100,
    }))
    .filter(({ weight }) => weight > 0);
  if (shares.some(({ variation }) => variation < 0))
    throw new UnsupportedError('a rule serves a variant that does not exist');
  if (shares.length === 0) return { variation: defaultVariation };
  const remainder = 1 - shares.reduce((sum, { weight }) => sum + weight, 0);
  const isComplete = remainder < 1e-6;
  const [firstShare] = shares;
  if (isComplete && shares.length === 1 && firstShare) return { variation: firstShare.variation };
  return {
    by: 'default',
    split: mergeShares(isComplete ? shares : [...shares, { variation: defaultVariation, weight: remainder }]),
  };
}

/** Adds up the weights of variations that are listed more than once, because a strategy can have each variant only once. */
const mergeShares = (shares: { variation: number; weight: number }[]) =>
  [...Map.groupBy(shares, ({ variation }) => variation)].map(([variation, parts]) => ({
    variation,
    weight: parts.reduce((sum, { weight }) => sum + weight, 0),
  }));
