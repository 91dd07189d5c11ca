import { command } from '../../command.ts';
import { CommandError, EXIT, notFoundError } from '../../errors.ts';
import { sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';

export const tokensRevoke = command({
  name: 'tokens revoke',
  brief: 'Revoke an API token; SDKs that use it no longer get flags',
  args: { token: { brief: 'Id or name of the token, as in halyard tokens list' } },
  writes: 'destructive',
  calls: ['getApiTokens', 'deleteApiToken'],
  output: {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
  },
  examples: [{ does: 'Revoke a token by its id', run: 'tokens revoke 12 --yes' }],
  run: async (context, { token }) => {
    const { tokens } = await getData(context.read.GET('/api/admin/api-tokens'));
    const tokensById = tokens.filter(({ id }) => String(id) === token);
    const matches =
      tokensById.length > 0 ? tokensById : tokens.filter(({ tokenName }) => tokenName === token);
    const [apiToken] = matches;
    if (!apiToken)
      throw notFoundError(
        `There is no API token ${JSON.stringify(token)}, or you do not have access to it.`,
        'Run halyard tokens list to find it.',
      );
    if (matches.length > 1)
      throw new CommandError({
        code: 'ConflictError',
        message: `${matches.length} API tokens are named ${JSON.stringify(token)}: ${matches.map(({ id }) => id).join(', ')}.`,
        exit: EXIT.conflict,
        retryable: false,
        hint: 'Use the id instead.',
      });
    await context.confirm(
      `This revokes token "${apiToken.tokenName}" for ${apiToken.environment ?? 'all environments'}. SDKs that use it no longer get flags.`,
      apiToken.tokenName,
    );
    await context.write.DELETE('/api/admin/api-tokens/{token}', {
      params: { path: { token: String(apiToken.id) } },
    });
    return { id: apiToken.id, name: apiToken.tokenName };
  },
  text: ({ name }) => `Revoked token "${sanitize(name)}".`,
});
