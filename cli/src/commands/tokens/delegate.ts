import { command } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { getData } from '../../requests.ts';

const DAY_MS = 86_400_000;

const repeatableOption = (value: string, brief: string) =>
  ({ type: 'string', value, many: true, brief: `${brief}; can be repeated` }) as const;

export const tokensDelegate = command({
  name: 'tokens delegate',
  brief: 'Create a limited token for a script or an agent',
  description:
    'The token acts on your behalf, within the limits that you set. The secret is shown only once. An agent needs --project and either --max-changes or --read-only.',
  args: { name: { brief: "What the token is for, such as the agent's name; shown in the event log" } },
  options: {
    agent: { type: 'flag', brief: "Mark the token as an agent's; events show that it acted on your behalf" },
    project: {
      ...repeatableOption('id', 'Project the token may read and change'),
      short: 'p',
      complete: 'projects',
    },
    environment: {
      ...repeatableOption('name', 'Environment the token may change'),
      short: 'e',
      complete: 'environments',
    },
    permission: repeatableOption('name', 'Permission to grant, which you must have yourself'),
    readOnly: { type: 'flag', brief: 'Make the token read-only' },
    maxChanges: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000,
      brief: 'Maximum total number of changes',
    },
    maxProductionRollout: {
      type: 'integer',
      value: 'percentage',
      min: 0,
      max: 100,
      brief: 'Maximum rollout in production',
    },
    days: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 365,
      default: 7,
      brief: 'Number of days until the token expires; at most 30 for an agent',
    },
  },
  writes: 'change',
  calls: ['createPersonalToken'],
  output: 'PersonalToken',
  examples: [
    {
      does: 'An agent token limited to 20 changes in one project and a 10 % rollout in production',
      run: 'tokens delegate cleanup-agent --agent -p payments --max-changes 20 --max-production-rollout 10',
    },
  ],
  run: async (context, { name }, { agent, days, ...limits }) => {
    const {
      project = [],
      environment = [],
      permission = [],
      readOnly,
      maxChanges,
      maxProductionRollout,
    } = limits;
    // Checked here, because the server's message would name the fields of the request.
    if (agent && project.length === 0) throw usageError('An agent needs a project.', 'Use --project <id>.');
    if (agent && !readOnly && maxChanges === undefined)
      throw usageError(
        'An agent needs a limit on its number of changes.',
        'Use --max-changes <number>, or --read-only if it changes nothing.',
      );
    const scope = {
      ...(project.length > 0 && { projects: project }),
      ...(environment.length > 0 && { environments: environment }),
      ...(permission.length > 0 && { permissions: permission as never }),
      ...(readOnly && { readOnly }),
      ...(maxChanges !== undefined && { maxChanges }),
      ...(maxProductionRollout !== undefined && { maxProductionRollout }),
    };
    const body = {
      description: name,
      expiresAt: new Date(Date.now() + days * DAY_MS).toISOString(),
      ...(agent && { kind: 'agent' as const }),
      scope,
    };
    return await getData(context.write.POST('/api/admin/user/tokens', { body }));
  },
  text: ({ secret, description, expiresAt }) =>
    `Created token "${description}", which expires at ${expiresAt}. The secret will not be shown again:\n\n${secret}`,
});
