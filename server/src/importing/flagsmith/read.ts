import type { AnyOf, Flag, Rule, Serve, Targeting, Variation } from '../rules/model.ts';
import { attempt, variantNames } from '../rules/read.ts';
import type { EnvironmentDocument, FeatureState } from './schema.ts';
import { readSegment } from './segments.ts';

type Override = { title: string; when: () => AnyOf; state: FeatureState };

/** The flags of one environment, which is all that a document contains. */
export function readFlagsmith(document: EnvironmentDocument, environment: string): Flag[] {
  const overrides = Map.groupBy(overridesOf(document), ({ state }) => state.feature.id);
  return document.feature_states.map(state => {
    const own = overrides.get(state.feature.id) ?? [];
    const { variations, serve } = collectVariations();
    const targeting = attempt(
      (): Targeting => ({
        on: true,
        off: undefined,
        parents: [],
        rules: own.map(
          ({ title, when, state: served }): Rule => ({ title, when: when(), serve: serve(served) }),
        ),
        otherwise: serve(state),
      }),
    );
    return {
      key: state.feature.name,
      description: '',
      tags: [],
      type: 'release',
      variations: named(variations),
      environments: new Map([[environment, targeting]]),
    };
  });
}

/** An override for an identity takes precedence over one for a segment, and among segments the lower number wins. */
function overridesOf({ identity_overrides: identities = [], project }: EnvironmentDocument): Override[] {
  const ofIdentities = identities.flatMap(({ identifier, identity_features: states }) =>
    states.map(state => ({
      title: `Identity ${identifier}`,
      when: (): AnyOf => [[{ field: 'userId', operator: 'IN', values: [identifier], negated: false }]],
      state,
    })),
  );
  const ofSegments = (project.segments ?? []).flatMap(segment =>
    (segment.feature_states ?? []).map(state => ({
      title: segment.name,
      when: () => readSegment(segment),
      state,
    })),
  );
  return [...ofIdentities, ...ofSegments.toSorted((a, b) => priorityOf(a.state) - priorityOf(b.state))];
}

const priorityOf = ({ feature_segment: segment }: FeatureState): number =>
  segment?.priority ?? Number.MAX_SAFE_INTEGER;

const DISABLED: Variation = { name: 'disabled', enabled: false };

/** Flagsmith has no list of variations: each state is one, so they are collected from the states. */
function collectVariations() {
  const variations: Variation[] = [DISABLED];
  const indexOf = (value: FeatureState['feature_state_value']): number => {
    const variation = variationOf(value);
    const at = variations.findIndex(one => one.enabled && one.payload?.value === variation.payload?.value);
    return at < 0 ? variations.push(variation) - 1 : at;
  };
  const serve = (state: FeatureState): Serve => {
    if (!state.enabled) return { variation: 0 };
    const options = (state.multivariate_feature_state_values ?? []).filter(
      one => one.percentage_allocation > 0,
    );
    if (options.length === 0) return { variation: indexOf(state.feature_state_value) };
    const taken = options.reduce((sum, one) => sum + one.percentage_allocation, 0);
    return {
      by: 'default',
      split: [
        ...options.map(one => ({
          variation: indexOf(one.multivariate_feature_option.value),
          weight: one.percentage_allocation / 100,
        })),
        // Everyone else gets the value of the flag itself.
        { variation: indexOf(state.feature_state_value), weight: Math.max(0, 1 - taken / 100) },
      ],
    };
  };
  return { variations, serve };
}

function variationOf(value: FeatureState['feature_state_value']): Variation {
  if (value === undefined || value === null || value === '') return { name: '', enabled: true };
  const type = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'json' : 'string';
  return { name: String(value), enabled: true, payload: { type, value: String(value) } };
}

const named = (variations: Variation[]): Variation[] => {
  const names = variantNames(variations.map(({ name }) => name));
  return variations.map((variation, at) => ({ ...variation, name: names[at] ?? '' }));
};
