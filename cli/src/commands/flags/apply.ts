import { isDeepStrictEqual } from 'node:util';
import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT } from '../../errors.ts';
import { count, plain } from '../../output.ts';
import { accepted } from '../../requests.ts';
import { type Change, changesFor, requestFor } from './as-code/changes.ts';
import { PLAN_SCHEMA, type Plan, type Prepared, planText, prepare } from './as-code/plan.ts';
import { stateOf } from './as-code/state.ts';
import { FILE, PRUNE } from './plan.ts';

export const flagsApply = command({
  name: 'flags apply',
  brief: 'Change the flags on the server to match a file',
  description:
    'It shows the plan and asks for confirmation, unless you name the plan with --plan or use --yes. If a flag changes meanwhile, the command stops with 5 instead of overwriting it. You can run it again: changes that were already made are no longer in the plan. While the server restarts, it waits up to 5 minutes and then continues.',
  options: {
    file: FILE,
    prune: PRUNE,
    plan: {
      type: 'string',
      value: 'name',
      brief: 'Carry out this plan only, as halyard flags plan named it',
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
  run: async (context, _args, { file, prune, plan: name }): Promise<Plan> => {
    const prepared = await prepare(context, file, Boolean(prune));
    const { project, plan, changes } = prepared;
    const result = { project, plan, changes };
    if (name !== undefined && name !== plan)
      throw movedOn(`The plan is ${plan} now, not ${plain(name)}. The file or the server has changed since.`);
    if (context.given.dryRun || changes.length === 0) return result;
    if (name === undefined) {
      context.note(planText(result));
      await context.confirm(
        `This makes ${count(changes.length, 'change')} in project "${project}".`,
        project,
      );
    }
    for (const [flag, some] of Map.groupBy(changes, change => change.flag))
      await applyTo(context, prepared, flag, some);
    return result;
  },
  text: (plan, { given }) => {
    if (given.dryRun || plan.changes.length === 0) return planText(plan);
    return `Made ${count(plan.changes.length, 'change')} in project "${plain(plan.project)}".`;
  },
});

const movedOn = (message: string): CommandError =>
  new CommandError({
    code: 'PlanOutdated',
    message,
    exit: EXIT.conflict,
    retryable: false,
    hint: 'Run halyard flags plan again and look at the changes.',
  });

/**
 * Carries out the changes of one flag. Before each change, the remaining work must match the plan, and the server checks that the
 * flag has not changed since it was read.
 */
async function applyTo(
  context: Context,
  { project, wanted, segments }: Prepared,
  flag: string,
  changes: Change[],
): Promise<void> {
  const { server } = context.connection();
  const path = `/api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(flag)}`;
  const { comment } = context.given;
  for (const [n, change] of changes.entries()) {
    const headers: Record<string, string> =
      comment === undefined ? {} : { 'Halyard-Comment': encodeURIComponent(comment) };
    if (change.does !== 'create') {
      const read = await accepted(await context.send('GET', path), server);
      const feature = (await read.json()) as schemas['Feature'];
      const left =
        change.does === 'archive'
          ? [change]
          : changesFor(flag, stateOf(feature, segments), wanted[flag] ?? {});
      if (!isDeepStrictEqual(left, changes.slice(n)))
        throw movedOn(
          `Flag "${flag}" has changed since the plan was made. ${n} of its ${changes.length} changes were made.`,
        );
      headers['If-Match'] = read.headers.get('ETag') ?? '';
    }
    const { method, path: target, body } = requestFor(change, project, segments);
    await accepted(await context.send(method, target, { body, headers }), server).catch((error: unknown) => {
      // The server crashed after the change. The next read of the flag shows whether the rest of the plan still applies.
      if (!(error instanceof CommandError) || error.problem.code !== 'AlreadyCarriedOutError') throw error;
    });
  }
}
