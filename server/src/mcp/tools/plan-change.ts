import { badData } from '@halyard/plane/platform/errors.ts';
import { rejectInMaintenance } from '../../people/maintenance/reject-writes.ts';
import { PlanChanges, resolveChanges } from '../changes.ts';
import { type Difference, listDifferences } from '../diff.ts';
import { dryRunChanges } from '../execute.ts';
import { Arguments, Reason, rejectUnprintable } from '../inputs.ts';
import { formatCredential, hashPlan, PLAN_LIFETIME_MINUTES, type Plan, signPlan } from '../plan.ts';
import { takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';
import { WRITE_PERMISSIONS } from '../write-permissions.ts';

/** The budget for the diff, in characters. The plan itself takes up to 2,000 characters of the result. */
const MAX_DIFF_CHARACTERS = 2_500;

export const planChange = tool({
  name: 'plan_change',
  title: 'Plan a change',
  description: `Prepares changes to flags in one project without making them. Returns the exact diff, and a plan with its hash for apply_plan, valid for ${PLAN_LIFETIME_MINUTES} minutes. environment is required for enable, disable, rollout, strategies, variants and copy. rollout sets the percentage and never enables the flag.`,
  effect: 'reads',
  needs: WRITE_PERMISSIONS,
  input: Arguments({
    changes: PlanChanges,
    reason: Reason('Recorded with the change'),
  }),
  run: async (call, { changes, reason }) => {
    rejectUnprintable(reason);
    await rejectInMaintenance(call.db);
    const resolvedChanges = await resolveChanges(call, changes);
    const { flagsBefore, base, flagsAfter } = await dryRunChanges(
      { ...call, actor: { ...call.actor, comment: reason } },
      resolvedChanges,
    );
    const diff = listDifferences(flagsBefore, flagsAfter);
    if (diff.length === 0)
      throw badData([{ message: 'The plan changes nothing, because the flags are already as requested.' }]);
    const { project, operations } = resolvedChanges;
    const expiresAt = Math.floor(Date.now() / 1_000) + 60 * PLAN_LIFETIME_MINUTES;
    const plan: Plan = {
      project,
      operations,
      base,
      reason,
      credential: formatCredential(call.actor),
      expiresAt,
    };
    const hash = hashPlan(plan, diff);
    const production = [
      ...new Set(
        flagsAfter.flatMap(({ environments }) =>
          environments.filter(({ type }) => type === 'production').map(environment => environment.name),
        ),
      ),
    ];
    const isInEnvironment = ({ path }: Difference, name: string) => path.includes(` / ${name}: `);
    // Differences in production come first, so that the result shows them even if the list does not fit.
    const isLive = (difference: Difference) => production.some(name => isInEnvironment(difference, name));
    const visibleDiff = takeFittingItems(
      diff.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))),
      MAX_DIFF_CHARACTERS,
    );
    return {
      plan: signPlan(call.planKeys, plan, hash),
      hash,
      diff: visibleDiff,
      ...(visibleDiff.length < diff.length && { moreDifferences: diff.length - visibleDiff.length }),
      production: production.filter(name => diff.some(difference => isInEnvironment(difference, name))),
      expiresAt: new Date(expiresAt * 1_000).toISOString(),
    };
  },
  text: ({ plan, hash, diff, moreDifferences, production, expiresAt }) => [
    'Nothing has been changed yet. Diff:',
    ...diff.map(
      ({ path, from, to }) => `${path}: ${JSON.stringify(from ?? '')} → ${JSON.stringify(to ?? '')}`,
    ),
    ...(moreDifferences === undefined
      ? []
      : [`and ${moreDifferences} more differences; plan fewer changes to see all of them`]),
    ...(production.length > 0 ? [`This changes production environments: ${production.join(', ')}`] : []),
    `plan: ${plan}`,
    `hash: ${hash}`,
    `expires: ${expiresAt}`,
  ],
});
