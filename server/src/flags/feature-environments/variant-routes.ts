import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { ifMatches } from '../../platform/http/etag.ts';
import { JsonPatch } from '../../platform/http/patch.ts';
import { errorResponses, jsonResponse } from '../../platform/http/schema.ts';
import { type Change, change } from '../../record/change.ts';
import { VariantInputs, VariantList, VariantsOfEnvironments } from '../../targeting/variants/schema.ts';
import { type LockFeatureEtag, lockEnvironmentEtags } from './etag.ts';
import { readEnvironment } from './read.ts';
import type { FeatureEnvironmentKey } from './schema.ts';
import { changeVariants, changeVariantsInEnvironments, patchVariants } from './variants.ts';

const tags = ['Features'];
const version = 1;
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});
const params = Type.Object({ projectId, featureName, environment });

const FEATURE = '/api/admin/projects/:projectId/features/:featureName';
const HERE = `${FEATURE}/environments/:environment/variants`;

const keyOf = (params: {
  projectId: string;
  featureName: string;
  environment: string;
}): FeatureEnvironmentKey => ({
  project: params.projectId,
  featureName: params.featureName,
  environment: params.environment,
});

/** The variants of a feature in an environment. Strategies have their own variants. */
export function variantRoutes(app: App, db: Db, lockFeatureEtag: LockFeatureEtag): void {
  app.addSchema(VariantList);

  /** Runs work that changes the variants, unless If-Match names another state of the environment. */
  const ifEnvironmentMatches = <T>(
    request: Pick<FastifyRequest, 'headers'>,
    current: Change,
    key: FeatureEnvironmentKey,
    work: () => Promise<T>,
  ): Promise<T> =>
    ifMatches(
      request,
      `Feature "${key.featureName}" in environment "${key.environment}"`,
      () => lockEnvironmentEtags(current, key, lockFeatureEtag),
      work,
    );

  app.get(
    HERE,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getVariants',
        tags,
        summary: 'List the variants of a feature in an environment',
        description: 'Returns the variants of the feature, without those of its strategies.',
        params,
        response: { 200: jsonResponse('The variants', VariantList), ...errorResponses(401, 403, 404) },
      },
    },
    async request => ({
      version,
      variants: (await readEnvironment(db, keyOf(request.params))).variants,
    }),
  );

  app.put(
    HERE,
    {
      config: { permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'], ifMatch: true },
      schema: {
        operationId: 'updateVariants',
        tags,
        summary: 'Replace the variants of a feature in an environment',
        description:
          'Replaces the variants. The server computes the weights of variable variants. Requires UPDATE_FEATURE_ENVIRONMENT_VARIANTS. Events: feature-environment-variants-updated.',
        params,
        body: VariantInputs,
        response: {
          200: jsonResponse('The variants', VariantList),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = keyOf(request.params);
      return {
        version,
        variants: await change(db, request.actor, current =>
          ifEnvironmentMatches(request, current, key, () => changeVariants(current, key, request.body)),
        ),
      };
    },
  );

  app.patch(
    HERE,
    {
      config: { permission: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'], ifMatch: true },
      schema: {
        operationId: 'patchVariants',
        tags,
        summary: 'Patch the variants of a feature in an environment',
        description:
          'Applies a JSON Patch to the list of variants. Requires UPDATE_FEATURE_ENVIRONMENT_VARIANTS. Events: feature-environment-variants-updated.',
        params,
        body: JsonPatch,
        response: {
          200: jsonResponse('The variants', VariantList),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const key = keyOf(request.params);
      return {
        version,
        variants: await change(db, request.actor, current =>
          ifEnvironmentMatches(request, current, key, () => patchVariants(current, key, request.body)),
        ),
      };
    },
  );

  app.put(
    `${FEATURE}/variants-batch`,
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'updateVariantsOfEnvironments',
        tags,
        summary: 'Replace the variants of a feature in several environments',
        description:
          'Gives the feature the same variants in all of the named environments, or in none. Requires UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each of them. Events: feature-environment-variants-updated for each changed environment.',
        params: Type.Object({ projectId, featureName }),
        body: VariantsOfEnvironments,
        response: {
          200: jsonResponse('The variants', VariantList),
          ...errorResponses(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, featureName: name } = request.params;
      const { environments, variants } = request.body;
      return {
        version,
        variants: await change(db, request.actor, current =>
          changeVariantsInEnvironments(current, project, name, environments, variants),
        ),
      };
    },
  );
}
