import { command } from '../../command.ts';
import { formatList, formatTime } from '../../output.ts';
import { getData } from '../../requests.ts';

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
  run: async context => await getData(context.read.GET('/api/admin/api-tokens')),
  text: ({ tokens }, context) =>
    formatList(context, {
      header: ['id', 'name', 'type', 'environment', 'projects', 'last used', 'expires'],
      rows: tokens.map(token => [
        token.id,
        token.tokenName,
        token.type,
        token.environment ?? 'all',
        token.projects.join(', '),
        formatTime(token.seenAt) || 'never',
        formatTime(token.expiresAt) || 'never',
      ]),
      none: 'There are no API tokens that you can see.',
    }),
});
