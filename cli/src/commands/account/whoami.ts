import { command, PROJECT } from '../../command.ts';
import { fields, plain } from '../../output.ts';
import { data } from '../../requests.ts';

export const whoami = command({
  name: 'whoami',
  brief: 'Show who you are on the server, and what you may do',
  options: { project: PROJECT },
  calls: ['getMe'],
  output: {
    type: 'object',
    required: ['server', 'user', 'permissions'],
    properties: {
      server: { type: 'string' },
      profile: { type: 'string' },
      user: { $ref: '#/components/schemas/Caller' },
      permissions: { type: 'array', items: { $ref: '#/components/schemas/HeldPermission' } },
    },
  },
  examples: [{ does: 'What may I do in the project "payments"?', run: 'whoami --project payments' }],
  run: async (context, _args, { project }) => {
    const { server, profile } = context.connection();
    const { user, permissions } = await data(context.read.GET('/api/admin/user'));
    const inProject = context.projectIfSet(project);
    const some =
      inProject === undefined
        ? permissions
        : permissions.filter(one => one.project === undefined || ['*', inProject].includes(one.project));
    return { server, ...(profile !== undefined && { profile }), user, permissions: some };
  },
  text: ({ server, profile, user, permissions }, context) => {
    const places = Map.groupBy(
      permissions,
      ({ project, environment }) => [project, environment].filter(Boolean).join(', ') || 'everywhere',
    );
    const held = [...places].map(
      ([place, all]) =>
        `  ${plain(place)}: ${all
          .map(one => one.permission)
          .toSorted()
          .join(', ')}`,
    );
    return [
      fields(context, {
        Server: server,
        Profile: profile,
        User: user.username ?? user.name,
        Email: user.email,
      }),
      '',
      held.length > 0
        ? `You have these permissions:\n${held.join('\n')}`
        : 'You may read, and change nothing.',
    ].join('\n');
  },
});
