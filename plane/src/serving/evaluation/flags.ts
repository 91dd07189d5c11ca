import type { FeatureInterface } from 'unleash-client/lib/feature.js';
import type { Segment as SegmentDocument } from 'unleash-client/lib/strategy/strategy.js';
import type { Feature, Segment } from '../state/environment.ts';
import { addCosts, type Cost, costOfConstraints, costOfFeature } from './cost.ts';
import { type Traits, traitsOfConstraints, traitsOfFeature } from './traits.ts';

/** A flag that can be evaluated. */
export type Flag = {
  readonly name: string;
  readonly document: FeatureInterface;
  readonly traits: Traits;
  readonly segments: readonly number[];
  /** The document only; segments and parents are parsed separately. */
  readonly cost: Cost;
};

/** Parsed when first needed, once for all scopes, and freed with the document. */
const flags = new WeakMap<Feature, Flag>();
const segments = new WeakMap<Segment, ParsedSegment>();

export type ParsedSegment = {
  readonly document: SegmentDocument;
  readonly traits: Traits;
  readonly cost: Cost;
};

export function flagOf(feature: Feature): Flag {
  const known = flags.get(feature);
  if (known) return known;
  const document = JSON.parse(feature.text) as FeatureInterface;
  const flag = {
    name: feature.name,
    document,
    traits: traitsOfFeature(document),
    segments: feature.segments,
    cost: costOfFeature(document),
  };
  flags.set(feature, flag);
  return flag;
}

export function segmentOf(segment: Segment): ParsedSegment {
  const known = segments.get(segment);
  if (known) return known;
  const document = JSON.parse(segment.text) as SegmentDocument;
  const constraints = document.constraints ?? [];
  const parsed = { document, traits: traitsOfConstraints(constraints), cost: costOfConstraints(constraints) };
  segments.set(segment, parsed);
  return parsed;
}

/** With the segments of the flag, and with its parents, which are evaluated together with it. */
export function wholeCost(
  flag: Flag,
  flags: ReadonlyMap<string, Flag>,
  segments: ReadonlyMap<number, ParsedSegment>,
): Cost {
  const parents = (flag.document.dependencies ?? []).flatMap(({ feature }) => flags.get(feature) ?? []);
  return addCosts(
    [flag, ...parents].flatMap(one => [
      one.cost,
      ...one.segments.flatMap(id => segments.get(id)?.cost ?? []),
    ]),
  );
}
