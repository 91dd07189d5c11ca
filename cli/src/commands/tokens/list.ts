import { command } from '../../command.ts';
import { list, time } from '../../output.ts';
import { data } from '../../requests.ts';

export const tokensList = command({
  name: 'tokens list',
  brief: 'List the API tokens for SDKs',
  calls: ['getApiTokens'],
  output: 'ApiTokenList',
  examples: [
    {
      does: 'Which tokens have never been used?',
      run: "tokens list -o json | jq '.tokens[] | select(.seenAt == null).tokenName'",
    },
  ],
  page: () => '/admin/tokens',
  run: async context => await data(context.read.GET('/api/admin/api-tokens')),
  text: ({ tokens }, context) =>
    list(context, {
      header: ['id', 'name', 'type', 'environment', 'projects', 'last used', 'expires'],
      rows: tokens.map(one => [
        one.id,
        one.tokenName,
        one.type,
        one.environment ?? 'all',
        one.projects.join(', '),
        time(one.seenAt) || 'never',
        time(one.expiresAt) || 'never',
      ]),
      none: 'There are no API tokens that you may see.',
    }),
});
