import { command } from '../../command.ts';
import { formatPlan, PLAN_SCHEMA, prepare } from './as-code/plan.ts';

export const FILE = {
  type: 'string',
  value: 'file',
  short: 'f',
  required: true,
  brief: 'YAML or JSON file, as halyard flags export writes it',
} as const;

export const PRUNE = {
  type: 'flag',
  brief: 'Archive flags of the project that are not in the file',
} as const;

export const flagsPlan = command({
  name: 'flags plan',
  brief: 'Compare a file of flags with the server, and show what apply would change',
  description:
    'Whatever the file omits, such as a flag, a field or an environment, stays unchanged on the server.',
  options: {
    file: FILE,
    prune: PRUNE,
    exitCode: { type: 'flag', brief: 'Exit with 10 if there is something to change' },
  },
  checks: true,
  calls: ['getFeatures', 'getProject', 'getSegments'],
  output: PLAN_SCHEMA,
  examples: [
    { does: 'Show the changes', run: 'flags plan -f flags.yaml' },
    { does: 'Has somebody changed a flag by hand?', run: 'flags plan -f flags.yaml --exit-code' },
  ],
  run: async (context, _args, { file, prune, exitCode }) => {
    const { project, plan, changes } = await prepare(context, file, Boolean(prune));
    if (exitCode && changes.length > 0) context.failCheck();
    return { project, plan, changes };
  },
  text: formatPlan,
});
