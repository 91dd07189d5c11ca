import { ApiError } from '../../../plane/src/platform/errors.ts';
import { etagOfFeature } from '../flags/features/etag.ts';
import type { Feature } from '../flags/features/schema.ts';
import type { Change } from '../record/change.ts';
import { runStored } from '../record/operations/stored.ts';
import type { Resolved } from './changes.ts';
import type { Base, Plan } from './plan.ts';
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

/** Applies a plan if every flag is as it was when the plan was made. All operations are one change. */
export async function carryOut(
  { app, db, instance, actor }: Call,
  { project, operations, base, reason }: Plan,
): Promise<void> {
  await runStored(app, db, instance, { ...actor, comment: reason }, operations, {
    before: async current => {
      const names = base.map(({ name }) => name);
      const now = await lockBase(current, project, names);
      const moved = base.filter(({ name, etag, event }) => {
        const found = now.base.find(one => one.name === name);
        return found?.etag !== etag || found.event !== event;
      });
      if (moved.length === 0) return;
      throw new ApiError(
        'PreconditionFailedError',
        `Flag ${moved.map(({ name }) => `"${name}"`).join(', ')} has changed since the plan was made, or the plan was applied already. Nothing was changed. Call plan_change again.`,
      );
    },
  });
}
