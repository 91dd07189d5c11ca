import { command } from '../../command.ts';
import { list, time } from '../../output.ts';
import { data } from '../../requests.ts';

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
    return await data(context.read.GET('/api/admin/user-admin', { params: { query } }));
  },
  text: ({ users, rootRoles }, context) =>
    list(context, {
      header: ['id', 'username', 'role', 'last seen', 'groups', 'name'],
      rows: users.map(one => [
        one.id,
        one.username ?? one.email,
        rootRoles.find(role => role.id === one.rootRole)?.name ?? 'none',
        time(one.seenAt) || 'never',
        one.groups.join(', '),
        one.name,
      ]),
      none: 'There are no users.',
    }),
});
