import type { schemas } from '../../api/api.gen.ts';
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
      token: { $ref: '#/components/schemas/CallingToken' },
    },
  },
  examples: [{ does: 'What may I do in the project "payments"?', run: 'whoami --project payments' }],
  run: async (context, _args, { project }) => {
    const { server, profile } = context.connection();
    const { user, permissions, token } = await data(context.read.GET('/api/admin/user'));
    const inProject = context.projectIfSet(project);
    const some =
      inProject === undefined
        ? permissions
        : permissions.filter(one => one.project === undefined || ['*', inProject].includes(one.project));
    return {
      server,
      ...(profile !== undefined && { profile }),
      user,
      permissions: some,
      ...(token && { token }),
    };
  },
  text: ({ server, profile, user, permissions, token }, context) => {
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
        ...(token && { Token: `${token.description} (${token.kind}), expires at ${token.expiresAt}` }),
        ...(token?.scope && { Scope: scopeText(token.scope) }),
        ...(token?.scope && token.changesLeft !== null && { 'Changes left': String(token.changesLeft) }),
      }),
      '',
      held.length > 0
        ? `You have these permissions:\n${held.join('\n')}`
        : 'You can read, but you cannot change anything.',
    ].join('\n');
  },
});

/** The bounds of a token in words: "projects payments; at most 20 changes". */
function scopeText(scope: NonNullable<schemas['CallingToken']['scope']>): string {
  const { projects, environments, permissions, readOnly, maxChanges, maxProductionRollout } = scope;
  return [
    ...(readOnly ? ['read-only'] : []),
    ...(projects ? [`projects ${projects.join(', ')}`] : []),
    ...(environments ? [`environments ${environments.join(', ')}`] : []),
    ...(permissions ? [`permissions ${permissions.join(', ')}`] : []),
    ...(maxChanges === undefined ? [] : [`at most ${maxChanges} changes`]),
    ...(maxProductionRollout === undefined ? [] : [`at most ${maxProductionRollout} % in production`]),
  ]
    .map(plain)
    .join('; ');
}
