import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { JsonPatch } from '../../platform/http/input/patch.ts';
import { featureEnvironmentParams, featureParams } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { VariantInputs, VariantList, VariantsOfEnvironments } from '../../targeting/variants/schema.ts';
import { environmentUnchanged, type LockFeatureEtag } from './etag.ts';
import { BASE_PATH, FEATURE, toFeatureEnvironmentKey } from './paths.ts';
import { readEnvironment } from './read.ts';
import { changeVariants, changeVariantsInEnvironments, patchVariants } from './variants.ts';

const version = 1;

/** The operations on the variants of a feature in an environment. Strategies have their own variants. */
export const variantOperations = (lockFeatureEtag: LockFeatureEtag): OperationModule => ({
  tag: 'Features',
  schemas: [VariantList],
  operations: [
    query({
      id: 'getVariants',
      route: `GET ${BASE_PATH}/variants`,
      summary: 'List the variants of a feature in an environment',
      description: 'Returns the variants of the feature, without those of its strategies.',
      permission: 'NONE',
      params: featureEnvironmentParams,
      output: jsonResponse('The variants', VariantList),
      read: async ({ db }, { params }) => ({
        version,
        variants: (await readEnvironment(db, toFeatureEnvironmentKey(params))).variants,
      }),
    }),
    command({
      id: 'updateVariants',
      route: `PUT ${BASE_PATH}/variants`,
      summary: 'Replace the variants of a feature in an environment',
      description: 'Replaces the variants. The server computes the weights of variable variants.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
      params: featureEnvironmentParams,
      body: VariantInputs,
      output: jsonResponse('The variants', VariantList),
      events: ['feature-environment-variants-updated'],
      precondition: ({ params }) => environmentUnchanged(toFeatureEnvironmentKey(params), lockFeatureEtag),
      run: async (current, { params, body }) => ({
        version,
        variants: await changeVariants(current, toFeatureEnvironmentKey(params), body),
      }),
    }),
    command({
      id: 'patchVariants',
      route: `PATCH ${BASE_PATH}/variants`,
      summary: 'Patch the variants of a feature in an environment',
      description: 'Applies a JSON Patch to the list of variants.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
      params: featureEnvironmentParams,
      body: JsonPatch,
      output: jsonResponse('The variants', VariantList),
      events: ['feature-environment-variants-updated'],
      precondition: ({ params }) => environmentUnchanged(toFeatureEnvironmentKey(params), lockFeatureEtag),
      run: async (current, { params, body }) => ({
        version,
        variants: await patchVariants(current, toFeatureEnvironmentKey(params), body),
      }),
    }),
    command({
      id: 'updateVariantsOfEnvironments',
      route: `PUT ${FEATURE}/variants-batch`,
      summary: 'Replace the variants of a feature in several environments',
      description:
        'Gives the feature the same variants in all given environments, or in none of them. Requires UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each of them.',
      permission: 'NONE',
      checksPermissions: true,
      params: featureParams,
      body: VariantsOfEnvironments,
      output: jsonResponse('The variants', VariantList),
      events: ['feature-environment-variants-updated'],
      run: async (current, { params: { projectId, featureName }, body: { environments, variants } }) => ({
        version,
        variants: await changeVariantsInEnvironments(current, projectId, featureName, environments, variants),
      }),
    }),
  ],
});
