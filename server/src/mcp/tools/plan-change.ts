import { badData } from '../../../../plane/src/platform/errors.ts';
import { rejectInMaintenance } from '../../people/maintenance/reject-writes.ts';
import { Changes, resolveChanges } from '../changes.ts';
import { type Difference, differences } from '../diff.ts';
import { Arguments, Reason, rejectUnprintable } from '../inputs.ts';
import { credentialOf, hashOf, PLAN_MINUTES, type Plan, signPlan } from '../plan.ts';
import { rehearse } from '../rehearse.ts';
import { fitting } from '../shown.ts';
import { tool } from '../tool.ts';
import { WRITE_PERMISSIONS } from '../write-permissions.ts';

/** The plan itself takes up to 2,000 characters of the result. */
const DIFF_BUDGET = 2_500;

export const planChange = tool({
  name: 'plan_change',
  title: 'Plan a change',
  description: `Prepares a change of flags in one project without making it. Returns the exact diff, and a plan with its hash for apply_plan, valid for ${PLAN_MINUTES} minutes. environment is needed for enable, disable, rollout, strategies, variants and copy. rollout sets the percentage and never enables.`,
  effect: 'reads',
  needs: WRITE_PERMISSIONS,
  input: Arguments({
    changes: Changes,
    reason: Reason('Recorded with the change'),
  }),
  run: async (call, { changes, reason }) => {
    rejectUnprintable(reason);
    await rejectInMaintenance(call.db);
    const resolved = await resolveChanges(call, changes);
    const { before, base, after } = await rehearse(
      { ...call, actor: { ...call.actor, comment: reason } },
      resolved,
    );
    const diff = differences(before, after);
    if (diff.length === 0)
      throw badData([{ message: 'The plan changes nothing, because the flags are already as requested.' }]);
    const { project, operations } = resolved;
    const expiresAt = Math.floor(Date.now() / 1_000) + 60 * PLAN_MINUTES;
    const plan: Plan = { project, operations, base, reason, credential: credentialOf(call.actor), expiresAt };
    const hash = hashOf(plan, diff);
    const production = [
      ...new Set(
        after.flatMap(({ environments }) =>
          environments.filter(({ type }) => type === 'production').map(one => one.name),
        ),
      ),
    ];
    const isIn = ({ path }: Difference, name: string) => path.includes(` / ${name}: `);
    // If the list does not fit, what changes production is shown.
    const isLive = (one: Difference) => production.some(name => isIn(one, name));
    const shownDiff = fitting(
      diff.toSorted((a, b) => Number(isLive(b)) - Number(isLive(a))),
      DIFF_BUDGET,
    );
    return {
      plan: signPlan(call.planKeys, plan, hash),
      hash,
      diff: shownDiff,
      ...(shownDiff.length < diff.length && { moreDifferences: diff.length - shownDiff.length }),
      production: production.filter(name => diff.some(one => isIn(one, name))),
      expiresAt: new Date(expiresAt * 1_000).toISOString(),
    };
  },
  text: ({ plan, hash, diff, moreDifferences, production, expiresAt }) => [
    'Nothing is changed yet. Diff:',
    ...diff.map(
      ({ path, from, to }) => `${path}: ${JSON.stringify(from ?? '')} → ${JSON.stringify(to ?? '')}`,
    ),
    ...(moreDifferences === undefined
      ? []
      : [`and ${moreDifferences} more differences; plan fewer changes to see all of them`]),
    ...(production.length > 0 ? [`This changes production: ${production.join(', ')}`] : []),
    `plan: ${plan}`,
    `hash: ${hash}`,
    `expires: ${expiresAt}`,
  ],
});
