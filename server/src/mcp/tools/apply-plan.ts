import { Type } from 'typebox';
import { rejectInMaintenance } from '../../people/maintenance/reject-writes.ts';
import { executeChanges } from '../execute.ts';
import { buildFlagUrl } from '../flag-location.ts';
import { Arguments } from '../inputs.ts';
import { MAX_PLAN_LENGTH, verifyPlan } from '../plan.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';
import { WRITE_PERMISSIONS } from '../write-permissions.ts';

export const applyPlan = tool({
  name: 'apply_plan',
  title: 'Apply a plan',
  description:
    "Applies a plan: all of it, or nothing. Rejected if a flag has changed since, if the result would differ from the plan's diff, if the plan has expired, or if plan or hash was altered. Returns change for wait_until_live.",
  effect: 'changes',
  needs: WRITE_PERMISSIONS,
  input: Arguments({
    plan: Type.String({ minLength: 1, maxLength: MAX_PLAN_LENGTH }),
    hash: Type.String({ minLength: 1, maxLength: 64 }),
  }),
  run: async (call, { plan: text, hash }) => {
    const plan = verifyPlan(call.planKeys, text, hash, call.actor, new Date());
    await rejectInMaintenance(call.db);
    // The request itself already counts as one write.
    if (plan.operations.length > 1) call.app.takeWrites(call.request.caller, plan.operations.length - 1);
    await executeChanges(call, plan, hash);
    const { events = new Map<string, number>(), revisions = new Map<string, number>() } = call.actor;
    return {
      applied: true,
      change: events.get('') ?? [...events.values()].at(-1),
      revisions: Object.fromEntries(revisions),
      flags: takeFittingItems(
        plan.base.map(({ name }) => ({ name, url: buildFlagUrl(call, plan.project, name) })),
        2_000,
      ),
    };
  },
  text: ({ change, revisions, flags }) => [
    `Applied to ${flags.map(({ name }) => quoteName(name)).join(', ')}; change ${change}`,
    ...Object.entries(revisions).map(
      ([environment, revision]) => `${quoteName(environment)}: revision ${revision}`,
    ),
  ],
});
