import { ApiError, quoteNames } from '@halyard/plane/platform/errors.ts';
import { featureEtag } from '../flags/features/etag.ts';
import type { Feature } from '../flags/features/schema.ts';
import { rejectLargeWork } from '../flags/features/size.ts';
import type { Change } from '../record/change.ts';
import { runStoredOperations } from '../record/operations/stored.ts';
import type { ResolvedChanges } from './changes.ts';
import { listDifferences } from './diff.ts';
import { type FlagVersion, hashPlan, type Plan } from './plan.ts';
import { findNewestEventIds, listFeatures, lockFeatures } from './store.ts';
import type { Call } from './tool.ts';

/** Thrown to roll back a dry run. It carries the state after the change. */
class Rollback extends Error {
  readonly flagsAfter: Feature[];
  constructor(flagsAfter: Feature[]) {
    super('dry run');
    this.flagsAfter = flagsAfter;
  }
}

/** Returns the part of an ETag that depends on the content. The rest changes with SDK requests (platform/http/output/etag.ts). */
const getContentHash = (etag: string): string => etag.slice(1, -1).split('.')[0] ?? '';

async function lockBase({ tx, actor }: Change, project: string, names: string[]) {
  const features = await lockFeatures(tx, actor, project, names);
  const newestEventIds = await findNewestEventIds(tx, names);
  const base = features.map(
    (feature): FlagVersion => ({
      name: feature.name,
      etag: getContentHash(featureEtag(feature)),
      event: newestEventIds.get(feature.name) ?? 0,
    }),
  );
  return { features, base };
}

/**
 * Makes the change with all its checks, including the token's limits, reads the result, and rolls back. The plan therefore shows
 * exactly what applying it will do, and changes that would be rejected later are rejected now. The dry run holds the same locks as
 * a write, so nothing else is read in its transaction, to keep it short.
 */
export async function dryRunChanges(call: Call, { project, flags, operations }: ResolvedChanges) {
  const { app, db, instance, actor, request } = call;
  let flagsBefore: Feature[] = [];
  let base: FlagVersion[] = [];
  const changedFlags = operations.map(({ input }) => input.params?.featureName ?? '');
  try {
    await instance.dryRuns.run(request, async () => {
      await rejectLargeWork(db, actor, changedFlags, 'Plan fewer changes at a time.');
      await runStoredOperations(
        app,
        db,
        instance,
        { ...actor, revisions: new Map(), events: new Map() },
        operations,
        {
          beforeRun: async current => {
            ({ features: flagsBefore, base } = await lockBase(current, project, flags));
          },
          afterEvents: async tx => {
            throw new Rollback(await listFeatures(tx, actor, project, flags));
          },
        },
      );
    });
  } catch (error) {
    if (error instanceof Rollback) return { flagsBefore, base, flagsAfter: error.flagsAfter };
    throw error;
  }
  throw new Error('A dry run was committed');
}

/**
 * Applies a plan if every flag is as it was when the plan was created, and if the result is the one that the plan showed. The result
 * can also depend on things other than the flags, such as the project's default strategy. All operations are one change.
 */
export async function executeChanges(
  { app, db, instance, actor }: Call,
  plan: Plan,
  expectedHash: string,
): Promise<void> {
  const { project, operations, base, reason } = plan;
  const names = base.map(({ name }) => name);
  let flagsBefore: Feature[] = [];
  await runStoredOperations(app, db, instance, { ...actor, comment: reason }, operations, {
    beforeRun: async current => {
      const currentBase = await lockBase(current, project, names);
      flagsBefore = currentBase.features;
      const changedVersions = base.filter(({ name, etag, event }) => {
        const currentVersion = currentBase.base.find(version => version.name === name);
        return currentVersion?.etag !== etag || currentVersion.event !== event;
      });
      if (changedVersions.length === 0) return;
      const flagNames = quoteNames(changedVersions.map(({ name }) => name));
      throw outdatedPlan(
        `${changedVersions.length === 1 ? `Flag ${flagNames} has` : `Flags ${flagNames} have`} changed since the plan was made, or the plan has already been applied.`,
      );
    },
    afterEvents: async tx => {
      const diff = listDifferences(flagsBefore, await listFeatures(tx, actor, project, names));
      if (hashPlan(plan, diff) === expectedHash) return;
      throw outdatedPlan(
        'The plan would now have a different result than its diff showed, because something that it depends on has changed, such as a default strategy.',
      );
    },
  });
}

const outdatedPlan = (cause: string): ApiError =>
  new ApiError('PreconditionFailedError', `${cause} Nothing was changed. Call plan_change again.`);
