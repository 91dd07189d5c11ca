import type { schemas } from '../../api/api.gen.ts';
import { command, PROJECT } from '../../command.ts';
import { formatFields, sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';

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
    const { user, permissions, token } = await getData(context.read.GET('/api/admin/user'));
    const projectId = context.projectIfSet(project);
    const relevantPermissions =
      projectId === undefined
        ? permissions
        : permissions.filter(
            permission => permission.project === undefined || ['*', projectId].includes(permission.project),
          );
    return {
      server,
      ...(profile !== undefined && { profile }),
      user,
      permissions: relevantPermissions,
      ...(token && { token }),
    };
  },
  text: ({ server, profile, user, permissions, token }, context) => {
    const scopes = Map.groupBy(
      permissions,
      ({ project, environment }) => [project, environment].filter(Boolean).join(', ') || 'everywhere',
    );
    const lines = [...scopes].map(
      ([scope, scopePermissions]) =>
        `  ${sanitize(scope)}: ${scopePermissions
          .map(({ permission }) => permission)
          .toSorted()
          .join(', ')}`,
    );
    return [
      formatFields(context, {
        Server: server,
        Profile: profile,
        User: user.username ?? user.name,
        Email: user.email,
        ...(token && { Token: `${token.description} (${token.kind}), expires at ${token.expiresAt}` }),
        ...(token?.scope && { Scope: describeScope(token.scope) }),
        ...(token?.scope && token.changesLeft !== null && { 'Changes left': String(token.changesLeft) }),
      }),
      '',
      lines.length > 0
        ? `You have these permissions:\n${lines.join('\n')}`
        : 'You can read, but you cannot change anything.',
    ].join('\n');
  },
});

/** Describes the limits of a token, such as "projects payments; at most 20 changes". */
function describeScope(scope: NonNullable<schemas['CallingToken']['scope']>): string {
  const { projects, environments, permissions, readOnly, maxChanges, maxProductionRollout } = scope;
  return [
    ...(readOnly ? ['read-only'] : []),
    ...(projects ? [`projects ${projects.join(', ')}`] : []),
    ...(environments ? [`environments ${environments.join(', ')}`] : []),
    ...(permissions ? [`permissions ${permissions.join(', ')}`] : []),
    ...(maxChanges === undefined ? [] : [`at most ${maxChanges} changes`]),
    ...(maxProductionRollout === undefined ? [] : [`at most ${maxProductionRollout} % in production`]),
  ]
    .map(sanitize)
    .join('; ');
}
