import { command } from '../../command.ts';
import { data } from '../../requests.ts';

const DAY_MS = 86_400_000;

const many = (value: string, brief: string) =>
  ({ type: 'string', value, many: true, brief: `${brief}; can be repeated` }) as const;

export const tokensDelegate = command({
  name: 'tokens delegate',
  brief: 'Create a limited token for a script or an agent',
  description:
    'The token acts on your behalf, within the limits that you set. The response shows the secret once. An agent needs --project, and --max-changes or --read-only.',
  args: { name: { brief: 'What the token is for, such as the name of the agent. Events show it' } },
  options: {
    agent: { type: 'flag', brief: 'The token is for an agent: events say that it acted on your behalf' },
    project: { ...many('id', 'Project that it may read and change'), short: 'p', complete: 'projects' },
    environment: { ...many('name', 'Environment that it may change'), short: 'e', complete: 'environments' },
    permission: many('name', 'Permission that it has, if you have it'),
    readOnly: { type: 'flag', brief: 'It cannot change anything' },
    maxChanges: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000,
      brief: 'Total number of changes it can make',
    },
    maxProductionRollout: {
      type: 'integer',
      value: 'percentage',
      min: 0,
      max: 100,
      brief: 'Largest rollout in production',
    },
    days: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 365,
      default: 7,
      brief: 'Number of days until it expires; at most 30 for an agent',
    },
  },
  writes: 'change',
  calls: ['createPersonalToken'],
  output: 'PersonalToken',
  examples: [
    {
      does: 'A token for an agent that may make 20 changes in one project, and 10 % at most in production',
      run: 'tokens delegate cleanup-agent --agent -p payments --max-changes 20 --max-production-rollout 10',
    },
  ],
  run: async (context, { name }, { agent, days, ...given }) => {
    const {
      project = [],
      environment = [],
      permission = [],
      readOnly,
      maxChanges,
      maxProductionRollout,
    } = given;
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
    return await data(context.write.POST('/api/admin/user/tokens', { body }));
  },
  text: ({ secret, description, expiresAt }) =>
    `Created token "${description}", which expires at ${expiresAt}. The secret is shown only now:\n\n${secret}`,
});
