import { command, ENVIRONMENT } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { getData } from '../../requests.ts';

export const tokensCreate = command({
  name: 'tokens create',
  brief: 'Create an API token for an SDK',
  description: 'The secret is shown only once.',
  args: { name: { brief: 'Name of the token, such as the application that uses it' } },
  options: {
    type: {
      type: 'choice',
      choices: ['backend', 'frontend'],
      default: 'backend',
      brief: 'backend for servers, frontend for browsers and apps',
    },
    environment: ENVIRONMENT,
    project: {
      type: 'string',
      value: 'id',
      short: 'p',
      many: true,
      brief: 'Project the SDK may read; can be repeated. Default: all',
      complete: 'projects',
    },
    expiresAt: {
      type: 'string',
      value: 'time',
      brief: 'When the token expires, such as 2027-01-31T00:00:00Z. Default: never',
    },
  },
  writes: 'change',
  calls: ['createApiToken'],
  output: 'ApiToken',
  examples: [
    { does: 'A token for the checkout service', run: 'tokens create checkout -e production -p payments' },
  ],
  run: async (context, { name }, { type, environment, project, expiresAt }) => {
    if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
      throw usageError(`${JSON.stringify(expiresAt)} is not a time. Write it as 2027-01-31T00:00:00Z.`);
    const body = {
      tokenName: name,
      type,
      environment: context.environment(environment),
      projects: project && project.length > 0 ? project : ['*'],
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    return await getData(context.write.POST('/api/admin/api-tokens', { body }));
  },
  text: ({ secret, tokenName, environment }) =>
    `Created token "${tokenName}" for ${environment}. The secret will not be shown again:\n\n${secret}`,
});
