import { command } from '../../command.ts';
import { formatList, formatTime } from '../../output.ts';
import { getData } from '../../requests.ts';

export const usersList = command({
  name: 'users list',
  brief: 'List users',
  options: { deactivated: { type: 'flag', brief: 'List deactivated users instead' } },
  calls: ['getUsers'],
  output: 'UserList',
  examples: [
    {
      does: 'Who has never logged in?',
      run: "users list -o json | jq -r '.users[] | select(.seenAt == null).username'",
    },
  ],
  page: () => '/admin/users',
  run: async (context, _args, { deactivated }) => {
    const query = deactivated ? { deactivated: 'true' as const } : {};
    return await getData(context.read.GET('/api/admin/user-admin', { params: { query } }));
  },
  text: ({ users, rootRoles }, context) =>
    formatList(context, {
      header: ['id', 'username', 'role', 'last seen', 'groups', 'name'],
      rows: users.map(user => [
        user.id,
        user.username ?? user.email,
        rootRoles.find(role => role.id === user.rootRole)?.name ?? 'none',
        formatTime(user.seenAt) || 'never',
        user.groups.join(', '),
        user.name,
      ]),
      none: 'There are no users.',
    }),
});
