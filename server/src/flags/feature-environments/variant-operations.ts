import { jsonResponse } from '../../../../plane/src/platform/http/schema.ts';
import { JsonPatch } from '../../platform/http/input/patch.ts';
import { ofFeature, ofFeatureInEnvironment } from '../../platform/http/params.ts';
import { command, type OperationModule, query } from '../../record/operations/definition.ts';
import { VariantInputs, VariantList, VariantsOfEnvironments } from '../../targeting/variants/schema.ts';
import { FEATURE, HERE, keyOf } from './address.ts';
import { environmentUnchanged, type LockFeatureEtag } from './etag.ts';
import { readEnvironment } from './read.ts';
import { changeVariants, changeVariantsInEnvironments, patchVariants } from './variants.ts';

const version = 1;

/** The variants of a feature in an environment. Strategies have their own variants. */
export const variantOperations = (lockFeatureEtag: LockFeatureEtag): OperationModule => ({
  tag: 'Features',
  schemas: [VariantList],
  operations: [
    query({
      id: 'getVariants',
      route: `GET ${HERE}/variants`,
      summary: 'List the variants of a feature in an environment',
      description: 'Returns the variants of the feature, without those of its strategies.',
      permission: 'NONE',
      params: ofFeatureInEnvironment,
      output: jsonResponse('The variants', VariantList),
      read: async ({ db }, { params }) => ({
        version,
        variants: (await readEnvironment(db, keyOf(params))).variants,
      }),
    }),
    command({
      id: 'updateVariants',
      route: `PUT ${HERE}/variants`,
      summary: 'Replace the variants of a feature in an environment',
      description: 'Replaces the variants. The server computes the weights of variable variants.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
      params: ofFeatureInEnvironment,
      body: VariantInputs,
      output: jsonResponse('The variants', VariantList),
      events: ['feature-environment-variants-updated'],
      precondition: ({ params }) => environmentUnchanged(keyOf(params), lockFeatureEtag),
      run: async (current, { params, body }) => ({
        version,
        variants: await changeVariants(current, keyOf(params), body),
      }),
    }),
    command({
      id: 'patchVariants',
      route: `PATCH ${HERE}/variants`,
      summary: 'Patch the variants of a feature in an environment',
      description: 'Applies a JSON Patch to the list of variants.',
      permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'],
      params: ofFeatureInEnvironment,
      body: JsonPatch,
      output: jsonResponse('The variants', VariantList),
      events: ['feature-environment-variants-updated'],
      precondition: ({ params }) => environmentUnchanged(keyOf(params), lockFeatureEtag),
      run: async (current, { params, body }) => ({
        version,
        variants: await patchVariants(current, keyOf(params), body),
      }),
    }),
    command({
      id: 'updateVariantsOfEnvironments',
      route: `PUT ${FEATURE}/variants-batch`,
      summary: 'Replace the variants of a feature in several environments',
      description:
        'Gives the feature the same variants in all of the named environments, or in none. Requires UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each of them.',
      permission: 'NONE',
      checksPermissions: true,
      params: ofFeature,
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
