import { Type } from 'typebox';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { COST } from '../../platform/http/rate-limit.ts';
import { answer, conflict, Named, Ref, refusals } from '../../platform/http/schema.ts';
import { change } from '../../record/change.ts';
import { copyEnvironment } from '../feature-environments/copy.ts';
import { EnvironmentCopy, FeatureEnvironment } from '../feature-environments/schema.ts';
import { readPlace } from '../feature-environments/strategies.ts';
import { Feature } from '../features/schema.ts';
import { cloneFeatures } from './clone.ts';
import { readDrift } from './drift.ts';
import { manyViolations, type Order, planClone } from './plan.ts';
import { CloneManyRequest, ClonePlan, CloneRequest, Drift, PARTS, PlannedCopy } from './schema.ts';

const tags = ['Features'];
const projectId = Type.String({ description: 'Id of the project', examples: ['default'] });
const featureName = Type.String({ description: 'Name of the feature', examples: ['checkout-v2'] });
const environment = Type.String({
  title: 'EnvironmentName',
  description: 'Name of the environment',
  examples: ['production'],
});
const dryRun = Type.Object({
  dryRun: Type.Optional(
    Type.String({
      enum: ['true', 'false'],
      description: 'true: only say what would be done; nothing is changed',
      examples: ['true'],
    }),
  ),
});

const BODY_LIMIT_BYTES = 65_536;

const ClonedFeatures = Named('ClonedFeatures', Type.Object({ features: Type.Array(Ref(Feature)) }));

export function cloneRoutes(app: App, db: Db, limits: Pick<Limits, 'features'>): void {
  for (const schema of [PlannedCopy, ClonePlan, Drift, ClonedFeatures]) app.addSchema(schema);

  app.post(
    '/api/admin/projects/:projectId/features/:featureName/clone',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      // What is needed depends on the project that receives the copy, and the body may name it.
      config: { permission: 'NONE', checkedPermission: ['CREATE_FEATURE'], rejectCaseVariants: true },
      schema: {
        operationId: 'cloneFeature',
        tags,
        summary: 'Clone a feature',
        description:
          'Makes a copy of a feature, off everywhere, in the project of the address or in the one the body names. The source is found by its name, in whatever project the caller may read. Needs CREATE_FEATURE in the receiving project, and in each environment that gets strategies CREATE_FEATURE_STRATEGY, in each that gets variants UPDATE_FEATURE_ENVIRONMENT_VARIANTS. Events: feature-created, feature-strategy-add, feature-environment-variants-updated, feature-tagged, feature-dependency-added.',
        params: Type.Object({ projectId, featureName }),
        querystring: dryRun,
        body: CloneRequest,
        response: {
          200: Type.Unsafe<Feature | ClonePlan>({
            title: 'CloneResult',
            description: 'The copy; with dryRun the plan',
            anyOf: [Ref(Feature), Ref(ClonePlan)],
          }),
          ...refusals(400, 401, 403, 404, 413, 415),
          ...conflict('Feature checkout-v3 exists already.'),
        },
      },
    },
    async request => {
      const { name, project, ...choice } = request.body;
      const order = orderOf(
        project ?? request.params.projectId,
        [{ source: request.params.featureName, name }],
        choice,
      );
      if (request.query.dryRun === 'true') return await planClone(db, request.actor, order, limits.features);
      const [copy] = await cloneFeatures(db, request.actor, order, limits.features);
      if (!copy) throw new Error(`Feature ${name} was cloned and is not there`);
      return copy;
    },
  );

  app.post(
    '/api/admin/projects/:projectId/clone',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        permission: ['CREATE_FEATURE'],
        cost: COST.bulk,
        rejectCaseVariants: true,
        checks: [({ actor, items }) => manyViolations(db, actor, items('features'))],
      },
      schema: {
        operationId: 'cloneFeatures',
        tags,
        summary: 'Clone features into a project',
        description:
          'Makes a copy of each named feature in this project: of all of them or of none. A copy whose parent is cloned in the same request depends on the copy of that parent. Needs and events as for one.',
        params: Type.Object({ projectId }),
        querystring: dryRun,
        body: CloneManyRequest,
        response: {
          200: Type.Unsafe<{ features: Feature[] } | ClonePlan>({
            title: 'CloneManyResult',
            description: 'The copies, in the order of the request; with dryRun the plan',
            anyOf: [Ref(ClonedFeatures), Ref(ClonePlan)],
          }),
          ...refusals(400, 401, 403, 404, 413, 415),
          ...conflict('Feature checkout-v3 exists already.'),
        },
      },
    },
    async request => {
      const { features, ...choice } = request.body;
      const wanted = features.map(({ feature, name }) => ({ source: feature, name }));
      const order = orderOf(request.params.projectId, wanted, choice);
      if (request.query.dryRun === 'true') return await planClone(db, request.actor, order, limits.features);
      return { features: await cloneFeatures(db, request.actor, order, limits.features) };
    },
  );

  app.post(
    '/api/admin/projects/:projectId/features/:featureName/environments/:environment/copy',
    {
      config: { permission: ['CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'] },
      schema: {
        operationId: 'copyFeatureEnvironment',
        tags,
        summary: 'Copy a feature from one environment to another',
        description:
          'Puts the strategies and variants the feature has in another environment in place of those it has here. A feature without an enabled strategy afterwards is disabled. Needs CREATE_FEATURE_STRATEGY, DELETE_FEATURE_STRATEGY where strategies go, UPDATE_FEATURE_ENVIRONMENT_VARIANTS where variants change. Events: feature-strategy-remove, feature-strategy-add, feature-environment-disabled, feature-environment-variants-updated.',
        params: Type.Object({ projectId, featureName, environment }),
        body: EnvironmentCopy,
        response: {
          200: answer('The feature here', FeatureEnvironment),
          ...refusals(400, 401, 403, 404, 413, 415),
        },
      },
    },
    async request => {
      const { projectId: project, featureName: name, environment: here } = request.params;
      const place = { project, featureName: name, environment: here };
      return await change(
        db,
        request.actor,
        current => copyEnvironment(current, place, request.body),
        tx => readPlace(tx, request.actor, place),
      );
    },
  );

  app.get(
    '/api/admin/projects/:projectId/features/:featureName/drift',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'getFeatureDrift',
        tags,
        summary: 'Compare a copy with its source',
        description:
          'What differs now between a feature and the one it was cloned from, in what cloning copies; switches and ids do not count. 404 if the feature is no copy, its source was deleted, or the caller may not read it.',
        params: Type.Object({ projectId, featureName }),
        response: { 200: answer('The differences', Drift), ...refusals(401, 403, 404) },
      },
    },
    async request => await readDrift(db, request.actor, request.params.projectId, request.params.featureName),
  );
}

type Chosen = Pick<CloneRequest, 'replaceGroupId' | 'include' | 'environments' | 'planId'>;

/** What is left out of a request has its value here: all parts, new groups, each environment its own. */
const orderOf = (project: string, features: Order['features'], chosen: Chosen): Order => ({
  project,
  features,
  choice: {
    replaceGroupId: chosen.replaceGroupId ?? true,
    include: chosen.include ?? PARTS,
    environments: chosen.environments,
  },
  planId: chosen.planId,
});
