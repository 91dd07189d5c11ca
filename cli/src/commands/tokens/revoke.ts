import { command } from '../../command.ts';
import { CommandError, EXIT, notFound } from '../../errors.ts';
import { plain } from '../../output.ts';
import { data } from '../../requests.ts';

export const tokensRevoke = command({
  name: 'tokens revoke',
  brief: 'Revoke an API token; SDKs that use it get no more flags',
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
    const { tokens } = await data(context.read.GET('/api/admin/api-tokens'));
    const byId = tokens.filter(one => String(one.id) === token);
    const found = byId.length > 0 ? byId : tokens.filter(one => one.tokenName === token);
    const [one] = found;
    if (!one)
      throw notFound(
        `There is no API token ${JSON.stringify(token)}, or you may not see it.`,
        'Run halyard tokens list to find it.',
      );
    if (found.length > 1)
      throw new CommandError({
        code: 'ConflictError',
        message: `${found.length} API tokens are named ${JSON.stringify(token)}: ${found.map(each => each.id).join(', ')}.`,
        exit: EXIT.conflict,
        retryable: false,
        hint: 'Use the id instead.',
      });
    await context.confirm(
      `This revokes token "${one.tokenName}" of ${one.environment ?? 'all environments'}. SDKs that use it get no more flags.`,
      one.tokenName,
    );
    await context.write.DELETE('/api/admin/api-tokens/{token}', {
      params: { path: { token: String(one.id) } },
    });
    return { id: one.id, name: one.tokenName };
  },
  text: ({ name }) => `Revoked token "${plain(name)}".`,
});
