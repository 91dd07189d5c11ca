import { isDeepStrictEqual } from 'node:util';
import { badData } from '@halyard/plane/platform/errors.ts';
import { requireInEnvironments } from '../../access/guard.ts';
import { applyPatch, type JsonPatch } from '../../platform/http/input/patch.ts';
import type { Change } from '../../record/change.ts';
import { type Variant, VariantInputs } from '../../targeting/variants/schema.ts';
import { findStickinessViolations, getFeatureStickiness } from '../../targeting/variants/stickiness.ts';
import { distributeWeights, withoutUnknownFields } from '../../targeting/variants/weights.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { readEnvironments, requireEnvironment } from './read.ts';
import type { FeatureEnvironment, FeatureEnvironmentKey } from './schema.ts';
import { updateVariants } from './store.ts';

type NewVariants = VariantInputs | ((variants: Variant[]) => VariantInputs);

/** Replaces the variants of the feature in the environment. Returns the new variants with their weights. */
export async function changeVariants(
  current: Change,
  { project, featureName, environment }: FeatureEnvironmentKey,
  newVariants: NewVariants,
): Promise<Variant[]> {
  return await replaceVariants(current, project, featureName, [environment], newVariants, '/body');
}

/** Applies a JSON Patch to the feature's variants in the environment. */
export async function patchVariants(
  current: Change,
  key: FeatureEnvironmentKey,
  patch: JsonPatch,
): Promise<Variant[]> {
  return await changeVariants(current, key, variants => applyPatch(variants, patch, VariantInputs));
}

/** Gives the feature the same variants in all of the environments, or in none if one of them is rejected. */
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
  newVariants: NewVariants,
  path: string,
): Promise<Variant[]> {
  await lockActiveFeature(current.tx, project, featureName);
  const feature = await readEnvironments(current.tx, featureName);
  const targets = [...new Set(environments)].map(name => requireEnvironment(feature, name));
  const variantsBefore = targets[0]?.variants ?? [];
  const variantsAfter = validateVariants(
    typeof newVariants === 'function' ? newVariants(variantsBefore) : newVariants,
    path,
  );

  await setVariants(
    current,
    targets.map(environment => ({ project, environmentBefore: environment, variants: variantsAfter })),
  );
  return variantsAfter;
}

/** Replaces variants and records only actual changes. The caller must have locked the features and validated the variants. */
export async function setVariants(
  { tx, record }: Change,
  updates: { project: string; environmentBefore: FeatureEnvironment; variants: Variant[] }[],
): Promise<void> {
  const changes = updates.filter(
    ({ environmentBefore, variants }) => !isDeepStrictEqual(environmentBefore.variants, variants),
  );
  if (changes.length === 0) return;
  await updateVariants(
    tx,
    changes.map(({ environmentBefore, variants }) => ({
      featureName: environmentBefore.featureName,
      environment: environmentBefore.name,
      variants,
    })),
  );
  for (const { project, environmentBefore, variants } of changes) {
    record({
      type: 'feature-environment-variants-updated',
      project,
      environment: environmentBefore.name,
      featureName: environmentBefore.featureName,
      data: { variants },
      preData: { variants: environmentBefore.variants },
    });
  }
}

/** Fills in omitted fields of variants and computes their weights, or rejects the variants and lists every violation. */
export function validateVariants(input: VariantInputs, path: string): Variant[] {
  const stickiness = getFeatureStickiness(input);
  const completeVariants = withoutUnknownFields(VariantInputs, input).map(variant => ({
    weightType: 'variable' as const,
    stickiness,
    overrides: [],
    ...variant,
  }));
  const { variants = [], violations = [] } = distributeWeights(completeVariants, path);
  const details = [...violations, ...findStickinessViolations(input, path)];
  if (details.length > 0) throw badData(details);
  return variants;
}
