import type { AnyOf, Flag, Rule, Serve, Targeting, Variation } from '../rules/model.ts';
import { catchUnsupported, nameVariations } from '../rules/read.ts';
import type { EnvironmentDocument, FeatureState } from './schema.ts';
import { readSegment } from './segments.ts';

type Override = { title: string; when: () => AnyOf; state: FeatureState };

/** Returns the flags in a document. A document covers a single environment. */
export function readFlagsmith(document: EnvironmentDocument, environment: string): Flag[] {
  const overrides = Map.groupBy(collectOverrides(document), ({ state }) => state.feature.id);
  return document.feature_states.map(state => {
    const flagOverrides = overrides.get(state.feature.id) ?? [];
    const { variations, readServe } = makeServeReader();
    const targeting = catchUnsupported(
      (): Targeting => ({
        on: true,
        off: undefined,
        parents: [],
        rules: flagOverrides.map(
          ({ title, when, state: overrideState }): Rule => ({
            title,
            when: when(),
            serve: readServe(overrideState),
          }),
        ),
        otherwise: readServe(state),
      }),
    );
    return {
      key: state.feature.name,
      description: '',
      tags: [],
      type: 'release',
      variations: nameVariations(variations),
      environments: new Map([[environment, targeting]]),
    };
  });
}

/** Returns the overrides in order of precedence: identities first, then segments, where the lower number wins. */
function collectOverrides({ identity_overrides: identities = [], project }: EnvironmentDocument): Override[] {
  const identityOverrides = identities.flatMap(({ identifier, identity_features: states }) =>
    states.map(state => ({
      title: `Identity ${identifier}`,
      when: (): AnyOf => [[{ field: 'userId', operator: 'IN', values: [identifier], negated: false }]],
      state,
    })),
  );
  const segmentOverrides = (project.segments ?? []).flatMap(segment =>
    (segment.feature_states ?? []).map(state => ({
      title: segment.name,
      when: () => readSegment(segment),
      state,
    })),
  );
  return [
    ...identityOverrides,
    ...segmentOverrides.toSorted((a, b) => getPriority(a.state) - getPriority(b.state)),
  ];
}

const getPriority = ({ feature_segment: segment }: FeatureState): number =>
  segment?.priority ?? Number.MAX_SAFE_INTEGER;

const DISABLED: Variation = { name: 'disabled', enabled: false };

/** Flagsmith does not list variations, so they are collected while the states are read. */
function makeServeReader() {
  const variations: Variation[] = [DISABLED];
  const findVariation = (value: FeatureState['feature_state_value']): number => {
    const variation = toVariation(value);
    const index = variations.findIndex(
      existing => existing.enabled && existing.payload?.value === variation.payload?.value,
    );
    return index < 0 ? variations.push(variation) - 1 : index;
  };
  const readServe = (state: FeatureState): Serve => {
    if (!state.enabled) return { variation: 0 };
    const options = (state.multivariate_feature_state_values ?? []).filter(
      option => option.percentage_allocation > 0,
    );
    if (options.length === 0) return { variation: findVariation(state.feature_state_value) };
    const allocatedPercent = options.reduce((sum, option) => sum + option.percentage_allocation, 0);
    return {
      by: 'default',
      split: [
        ...options.map(option => ({
          variation: findVariation(option.multivariate_feature_option.value),
          weight: option.percentage_allocation / 100,
        })),
        // Everyone else gets the value of the flag itself.
        {
          variation: findVariation(state.feature_state_value),
          weight: Math.max(0, 1 - allocatedPercent / 100),
        },
      ],
    };
  };
  return { variations, readServe };
}

function toVariation(value: FeatureState['feature_state_value']): Variation {
  if (value === undefined || value === null || value === '') return { name: '', enabled: true };
  const type = typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'json' : 'string';
  return { name: String(value), enabled: true, payload: { type, value: String(value) } };
}
