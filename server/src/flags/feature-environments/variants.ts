import { isDeepStrictEqual } from 'node:util';
import { badData } from '../../../../plane/src/platform/errors.ts';
import { requireInEnvironments } from '../../access/guard.ts';
import { applyPatch, type JsonPatch } from '../../platform/http/input/patch.ts';
import type { Change } from '../../record/change.ts';
import { type Variant, VariantInputs } from '../../targeting/variants/schema.ts';
import { featureStickiness, stickinessViolations } from '../../targeting/variants/stickiness.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { environmentOf, readEnvironments } from './read.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey } from './schema.ts';
import { updateVariants } from './store.ts';

type Wanted = VariantInputs | ((before: Variant[]) => VariantInputs);

/** Replaces the variants of the feature in the environment. Returns the new variants with their weights. */
export async function changeVariants(
  current: Change,
  { project, featureName, environment }: FeatureEnvironmentKey,
  wanted: Wanted,
): Promise<Variant[]> {
  return await replaceVariants(current, project, featureName, [environment], wanted, '/body');
}

/** Changes the variants of the feature in the environment by a JSON Patch of the list. */
export async function patchVariants(
  current: Change,
  key: FeatureEnvironmentKey,
  patch: JsonPatch,
): Promise<Variant[]> {
  return await changeVariants(current, key, before => applyPatch(before, patch, VariantInputs));
}

/** Gives the feature the same variants in several environments: in all of them or, if one is rejected, in none. */
export async function changeVariantsInEnvironments(
  current: Change,
  project: string,
  featureName: string,
  environments: string[],
  variants: VariantInputs,
): Promise<Variant[]> {
  const permission = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
  await requireInEnvironments(current.tx, current.actor, project, permission, environments);
  return await replaceVariants(current, project, featureName, environments, variants, '/body/variants');
}

async function replaceVariants(
  current: Change,
  project: string,
  featureName: string,
  environments: string[],
  wanted: Wanted,
  path: string,
): Promise<Variant[]> {
  await lockActiveFeature(current.tx, project, featureName);
  const feature = await readEnvironments(current.tx, featureName);
  const changing = [...new Set(environments)].map(name => environmentOf(feature, name));
  const before = changing[0]?.variants ?? [];
  const after = validateVariants(typeof wanted === 'function' ? wanted(before) : wanted, path);

  await setVariants(
    current,
    changing.map(environment => ({ project, before: environment, variants: after })),
  );
  return after;
}

/** Part of a change that locked the features and accepted the variants. Records only real changes. */
export async function setVariants(
  { tx, record }: Change,
  wanted: { project: string; before: FeatureEnvironment; variants: Variant[] }[],
): Promise<void> {
  const changing = wanted.filter(({ before, variants }) => !isDeepStrictEqual(before.variants, variants));
  if (changing.length === 0) return;
  await updateVariants(
    tx,
    changing.map(({ before, variants }) => ({
      featureName: before.featureName,
      environment: before.name,
      variants,
    })),
  );
  for (const { project, before, variants } of changing) {
    record({
      type: 'feature-environment-variants-updated',
      project,
      environment: before.name,
      featureName: before.featureName,
      data: { variants },
      preData: { variants: before.variants },
    });
  }
}

/** Completes the fields and weights of variants, or rejects them with every violation. */
export function validateVariants(input: VariantInputs, path: string): Variant[] {
  const stickiness = featureStickiness(input);
  const complete = withoutUnknownFields(VariantInputs, input).map(variant => ({
    weightType: 'variable' as const,
    stickiness,
    overrides: [],
    ...variant,
  }));
  const { variants = [], violations = [] } = distributeWeights(complete, path);
  const details = [...violations, ...stickinessViolations(input, path)];
  if (details.length > 0) throw badData(details);
  return variants;
}
