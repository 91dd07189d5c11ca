import type { FeatureInterface } from 'unleash-client/lib/feature.js';
import type { Segment as SegmentDocument } from 'unleash-client/lib/strategy/strategy.js';
import type { Segment } from '../state/environment.ts';
import type { Feature } from '../state/feature.ts';
import { addCosts, type Cost, constraintCost, featureCost } from './cost.ts';
import { constraintTraits, featureTraits, type Traits } from './traits.ts';

/** A flag that can be evaluated. */
export type Flag = {
  readonly name: string;
  readonly document: FeatureInterface;
  readonly traits: Traits;
  readonly segments: readonly number[];
  /** The cost of the document alone, because segments and parents are parsed separately. */
  readonly cost: Cost;
};

/** Flags are parsed when first needed, once for all scopes, and freed with the feature. */
const flags = new WeakMap<Feature, Flag>();
const segments = new WeakMap<Segment, ParsedSegment>();

export type ParsedSegment = {
  readonly document: SegmentDocument;
  readonly traits: Traits;
  readonly cost: Cost;
};

export function parseFlag(feature: Feature): Flag {
  const cachedFlag = flags.get(feature);
  if (cachedFlag) return cachedFlag;
  const document = JSON.parse(feature.text) as FeatureInterface;
  const flag = {
    name: feature.name,
    document,
    traits: featureTraits(document),
    segments: feature.segments,
    cost: featureCost(document),
  };
  flags.set(feature, flag);
  return flag;
}

export function parseSegment(segment: Segment): ParsedSegment {
  const cachedSegment = segments.get(segment);
  if (cachedSegment) return cachedSegment;
  const document = JSON.parse(segment.text) as SegmentDocument;
  const constraints = document.constraints ?? [];
  const parsedSegment = {
    document,
    traits: constraintTraits(constraints),
    cost: constraintCost(constraints),
  };
  segments.set(segment, parsedSegment);
  return parsedSegment;
}

/** Returns the cost including the flag's segments and parents, which are evaluated together with it. */
export function totalCost(
  flag: Flag,
  flags: ReadonlyMap<string, Flag>,
  segments: ReadonlyMap<number, ParsedSegment>,
): Cost {
  const parents = (flag.document.dependencies ?? []).flatMap(({ feature }) => flags.get(feature) ?? []);
  return addCosts(
    [flag, ...parents].flatMap(evaluatedFlag => [
      evaluatedFlag.cost,
      ...evaluatedFlag.segments.flatMap(id => segments.get(id)?.cost ?? []),
    ]),
  );
}
