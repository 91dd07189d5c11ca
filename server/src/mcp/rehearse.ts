import { ApiError, quoted } from '../../../plane/src/platform/errors.ts';
import { etagOfFeature } from '../flags/features/etag.ts';
import type { Feature } from '../flags/features/schema.ts';
import type { Change } from '../record/change.ts';
import { runStored } from '../record/operations/stored.ts';
import type { Resolved } from './changes.ts';
import { differences } from './diff.ts';
import { type Base, hashOf, type Plan } from './plan.ts';
import { findNewestEvent, listFlags, lockFlags } from './store.ts';
import type { Call } from './tool.ts';

/** Thrown to roll back a rehearsal. It carries the state after the change. */
class Rehearsed extends Error {
  readonly after: Feature[];
  constructor(after: Feature[]) {
    super('rehearsed');
    this.after = after;
  }
}

/** The part of an ETag that depends on the content. The rest changes with SDK requests (platform/http/output/etag.ts). */
const contentOf = (etag: string): string => etag.slice(1, -1).split('.')[0] ?? '';

async function lockBase({ tx, actor }: Change, project: string, names: string[]) {
  const features = await lockFlags(tx, actor, project, names);
  const base: Base[] = [];
  for (const feature of features)
    base.push({
      name: feature.name,
      etag: contentOf(etagOfFeature(feature)),
      event: await findNewestEvent(tx, feature.name),
    });
  return { features, base };
}

/**
 * Makes the change with all its checks, including the limits of the token, reads the result, and rolls back. The plan therefore
 * shows exactly what applying it will do, and a plan that would be rejected later is already rejected here.
 */
export async function rehearse(call: Call, { project, flags, operations }: Resolved) {
  const { app, db, instance, actor } = call;
  let before: Feature[] = [];
  let base: Base[] = [];
  try {
    await runStored(app, db, instance, { ...actor, revisions: new Map(), events: new Map() }, operations, {
      before: async current => {
        ({ features: before, base } = await lockBase(current, project, flags));
      },
      after: async tx => {
        throw new Rehearsed(await listFlags(tx, actor, project, flags));
      },
    });
  } catch (error) {
    if (error instanceof Rehearsed) return { before, base, after: error.after };
    throw error;
  }
  throw new Error('A rehearsal ended with a commit');
}

/**
 * Applies a plan if every flag is as it was when the plan was made, and if the result is the one that the plan showed. The result
 * can also depend on something else, such as the default strategy of the project. All operations are one change.
 */
export async function carryOut(
  { app, db, instance, actor }: Call,
  plan: Plan,
  expectedHash: string,
): Promise<void> {
  const { project, operations, base, reason } = plan;
  const names = base.map(({ name }) => name);
  let before: Feature[] = [];
  await runStored(app, db, instance, { ...actor, comment: reason }, operations, {
    before: async current => {
      const now = await lockBase(current, project, names);
      before = now.features;
      const moved = base.filter(({ name, etag, event }) => {
        const found = now.base.find(one => one.name === name);
        return found?.etag !== etag || found.event !== event;
      });
      if (moved.length === 0) return;
      const changed = quoted(moved.map(({ name }) => name));
      throw outdated(
        `${moved.length === 1 ? `Flag ${changed} has` : `Flags ${changed} have`} changed since the plan was made, or the plan was applied already.`,
      );
    },
    after: async tx => {
      const diff = differences(before, await listFlags(tx, actor, project, names));
      if (hashOf(plan, diff) === expectedHash) return;
      throw outdated(
        'The plan would now have a different result than the one it showed, because something that it depends on has changed, such as a default strategy.',
      );
    },
  });
}

const outdated = (cause: string): ApiError =>
  new ApiError('PreconditionFailedError', `${cause} Nothing was changed. Call plan_change again.`);
