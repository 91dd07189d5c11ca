import type { App } from '@halyard/plane/platform/http/app.ts';
import { COST } from '@halyard/plane/platform/http/protection/rate-limit.ts';
import {
  conflict,
  errorResponses,
  Optional,
  Ref,
  SharedObject,
} from '@halyard/plane/platform/http/schema.ts';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Actor } from '../../platform/actor.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { sendError } from '../../platform/http/output/errors.ts';
import { featureParams, projectParams } from '../../platform/http/params.ts';
import type { DryRuns } from '../../platform/http/protection/dry-runs.ts';
import { change } from '../../record/change.ts';
import { readFeatures } from '../features/read.ts';
import { Feature } from '../features/schema.ts';
import { cloneFeatures } from './clone.ts';
import { preferPermissionError } from './permission-first.ts';
import { type CloneInput, findCloneManyViolations, planClone } from './plan.ts';
import { CloneManyRequest, ClonePlan, CloneRequest, PARTS, PlannedCopy } from './schema.ts';

const tags = ['Features'];
const dryRun = Type.Object({
  dryRun: Optional.String({
    enum: ['true', 'false'],
    description: 'true: return the plan and change nothing',
    examples: ['true'],
  }),
});

const BODY_LIMIT_BYTES = 65_536;

const ClonedFeatures = SharedObject('ClonedFeatures', { features: Type.Array(Ref(Feature)) });

export function cloneRoutes(app: App, db: Db, limits: Pick<Limits, 'features'>, dryRuns: DryRuns): void {
  for (const schema of [PlannedCopy, ClonePlan, ClonedFeatures]) app.addSchema(schema);

  const plan = ({ actor, caller, visit }: FastifyRequest, input: CloneInput) =>
    dryRuns.run({ caller, visit }, () =>
      change(db, actor, current => planClone(current, input, limits.features)),
    );
  const clone = (actor: Actor, input: CloneInput) =>
    change(
      db,
      actor,
      current => cloneFeatures(current, input, limits.features),
      tx =>
        readFeatures(
          tx,
          actor,
          input.project,
          input.features.map(({ name }) => name),
        ),
    );

  app.post(
    '/api/admin/projects/:projectId/features/:featureName/clone',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      // The permission is checked in the target project, which the body may name.
      config: { permission: 'NONE', checkedPermission: ['CREATE_FEATURE'], rejectCaseVariants: true },
      errorHandler: async (error, request, reply) =>
        await sendError(await preferPermissionError(db, error, request), request, reply),
      schema: {
        operationId: 'cloneFeature',
        tags,
        summary: 'Clone a feature',
        description:
          'Copies a feature to the project in the body, or to the project in the URL by default. The copy is disabled in every environment. The source can be in any project the caller may read. Requires CREATE_FEATURE in the target project, CREATE_FEATURE_STRATEGY in each environment that gets strategies, and UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each environment that gets variants. Events: feature-created, feature-strategy-add, feature-environment-variants-updated, feature-tagged, feature-dependency-added.',
        params: featureParams,
        querystring: dryRun,
        body: CloneRequest,
        response: {
          200: Type.Unsafe<Feature | ClonePlan>({
            title: 'CloneResult',
            description: 'The copy, or the plan if `dryRun` is true',
            anyOf: [Ref(Feature), Ref(ClonePlan)],
          }),
          ...errorResponses(400, 401, 403, 404, 413, 415),
          ...conflict('Feature "checkout-v3" already exists in project "default". Choose another name.'),
        },
      },
    },
    async request => {
      const { name, project, ...options } = request.body;
      const input = cloneInput(
        project ?? request.params.projectId,
        [{ source: request.params.featureName, name }],
        options,
      );
      if (request.query.dryRun === 'true') return await plan(request, input);
      const [copy] = await clone(request.actor, input);
      if (!copy) throw new Error(`Feature "${name}" disappeared in the transaction that created it`);
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
        checks: [({ actor, items }) => findCloneManyViolations(db, actor, items('features'))],
      },
      schema: {
        operationId: 'cloneFeatures',
        tags,
        summary: 'Clone features into a project',
        description:
          'Copies all given features to this project, or none of them if there is an obstacle. A copy whose parent is cloned in the same request depends on the copy of that parent. Requires CREATE_FEATURE, CREATE_FEATURE_STRATEGY in each environment that gets strategies, and UPDATE_FEATURE_ENVIRONMENT_VARIANTS in each environment that gets variants. Events: feature-created, feature-strategy-add, feature-environment-variants-updated, feature-tagged, feature-dependency-added.',
        params: projectParams,
        querystring: dryRun,
        body: CloneManyRequest,
        response: {
          200: Type.Unsafe<{ features: Feature[] } | ClonePlan>({
            title: 'CloneManyResult',
            description: 'The copies in the order of the request, or the plan if `dryRun` is true',
            anyOf: [Ref(ClonedFeatures), Ref(ClonePlan)],
          }),
          ...errorResponses(400, 401, 403, 404, 413, 415),
          ...conflict('Feature "checkout-v3" already exists in project "default". Choose another name.'),
        },
      },
    },
    async request => {
      const { features, ...options } = request.body;
      const sources = features.map(({ feature, name }) => ({ source: feature, name }));
      const input = cloneInput(request.params.projectId, sources, options);
      if (request.query.dryRun === 'true') return await plan(request, input);
      return { features: await clone(request.actor, input) };
    },
  );
}

type Options = Pick<CloneRequest, 'replaceGroupId' | 'include' | 'environments' | 'planId'>;

const cloneInput = (project: string, features: CloneInput['features'], options: Options): CloneInput => ({
  project,
  features,
  options: {
    replaceGroupId: options.replaceGroupId ?? true,
    include: options.include ?? PARTS,
    environments: options.environments,
  },
  planId: options.planId,
});
