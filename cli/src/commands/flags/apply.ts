import { isDeepStrictEqual } from 'node:util';
import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT } from '../../errors.ts';
import { formatCount, sanitize } from '../../output.ts';
import { requireSuccess } from '../../requests.ts';
import { type Change, changesFor, requestFor } from './as-code/changes.ts';
import { formatPlan, PLAN_SCHEMA, type Plan, type PreparedPlan, prepare } from './as-code/plan.ts';
import { toFlagState } from './as-code/state.ts';
import { FILE, PRUNE } from './plan.ts';

export const flagsApply = command({
  name: 'flags apply',
  brief: 'Change the flags on the server to match a file',
  description:
    'It shows the plan and asks for confirmation, unless you name the plan with --plan or use --yes. If a flag changes in the meantime, the command exits with 5 instead of overwriting it. You can run it again: changes that were already made are no longer in the plan. While the server restarts, it waits up to 5 minutes and then continues.',
  options: {
    file: FILE,
    prune: PRUNE,
    plan: {
      type: 'string',
      value: 'name',
      brief: 'Apply only this plan, by the name that halyard flags plan printed',
    },
  },
  writes: 'destructive',
  ownDryRun: true,
  survivesRestart: true,
  calls: [
    'getFeatures',
    'getProject',
    'getSegments',
    'getFeature',
    'createFeature',
    'updateFeature',
    'changeFeatureTags',
    'setFeatureStrategies',
    'updateVariants',
    'enableFeature',
    'disableFeature',
    'archiveFeature',
  ],
  output: PLAN_SCHEMA,
  examples: [
    { does: 'On a terminal', run: 'flags apply -f flags.yaml' },
    {
      does: 'In a pipeline, exactly the plan that was reviewed',
      run: 'flags apply -f flags.yaml --plan 5f0c9f5a3b1d2e47 -m "Merge of #123"',
    },
  ],
  run: async (context, _args, { file, prune, plan: planName }): Promise<Plan> => {
    const preparedPlan = await prepare(context, file, Boolean(prune));
    const { project, plan, changes } = preparedPlan;
    const result = { project, plan, changes };
    if (planName !== undefined && planName !== plan)
      throw planOutdatedError(
        `The plan is ${plan} now, not ${sanitize(planName)}. The file or the server has changed since.`,
      );
    if (context.sharedOptions.dryRun || changes.length === 0) return result;
    if (planName === undefined) {
      context.note(formatPlan(result));
      await context.confirm(
        `This makes ${formatCount(changes.length, 'change')} in project "${project}".`,
        project,
      );
    }
    for (const [flag, flagChanges] of Map.groupBy(changes, change => change.flag))
      await applyChanges(context, preparedPlan, flag, flagChanges);
    return result;
  },
  text: (plan, { sharedOptions }) => {
    if (sharedOptions.dryRun || plan.changes.length === 0) return formatPlan(plan);
    return `Made ${formatCount(plan.changes.length, 'change')} in project "${sanitize(plan.project)}".`;
  },
});

const planOutdatedError = (message: string): CommandError =>
  new CommandError({
    code: 'PlanOutdated',
    message,
    exit: EXIT.conflict,
    retryable: false,
    hint: 'Run halyard flags plan again and look at the changes.',
  });

/**
 * Applies the changes to one flag. Before each change, the remaining work must match the plan, and the server checks that the
 * flag has not changed since it was read.
 */
async function applyChanges(
  context: Context,
  { project, desired, segments }: PreparedPlan,
  flag: string,
  changes: Change[],
): Promise<void> {
  const { server } = context.connection();
  const path = `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(flag)}`;
  const { comment } = context.sharedOptions;
  for (const [index, change] of changes.entries()) {
    const headers: Record<string, string> =
      comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
    if (change.does !== 'create') {
      const response = await requireSuccess(await context.send('GET', path), server);
      const feature = (await response.json()) as schemas['Feature'];
      const remainingChanges =
        change.does === 'archive'
          ? [change]
          : changesFor(flag, toFlagState(feature, segments), desired[flag] ?? {});
      if (!isDeepStrictEqual(remainingChanges, changes.slice(index)))
        throw planOutdatedError(
          `Flag "${flag}" has changed since the plan was made. ${index} of its ${changes.length} changes were made.`,
        );
      headers['If-Match'] = response.headers.get('ETag') ?? '';
    }
    const { method, path: target, body } = requestFor(change, project, segments);
    await requireSuccess(await context.send(method, target, { body, headers }), server).catch(
      (error: unknown) => {
        // Continues, because the server made the change before it crashed. The next read of the flag shows whether the plan still applies.
        if (!(error instanceof CommandError) || error.problem.code !== 'AlreadyCarriedOutError') throw error;
      },
    );
  }
}
