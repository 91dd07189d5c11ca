import { command } from '../../command.ts';
import { findProfile } from '../../connection.ts';
import { notLoggedInError } from '../../errors.ts';
import { readProfiles, writeProfiles } from '../../profiles.ts';

export const logout = command({
  name: 'logout',
  brief: 'Remove the stored token of a profile',
  description:
    'Revokes a token that a login in the browser issued. A token that you pasted stays valid on the server; revoke it in the console if you do not need it any more.',
  calls: [],
  output: {
    type: 'object',
    required: ['profile', 'server', 'revoked'],
    properties: { profile: { type: 'string' }, server: { type: 'string' }, revoked: { type: 'boolean' } },
  },
  examples: [{ does: 'Remove the profile "test"', run: 'logout --profile test' }],
  run: async context => {
    const { env, sharedOptions } = context;
    const [name, profile] = findProfile(env, sharedOptions.profile) ?? [];
    if (name === undefined || profile === undefined) throw notLoggedInError('You are not logged in.');
    const { server, token } = profile;
    const { revokeToken } = await import('../../authorization.ts');
    const isRevoked = profile.granted === true && (await revokeToken(context, server, token));
    const profiles = readProfiles(env);
    delete profiles.profiles[name];
    const [nextProfile = 'default'] = Object.keys(profiles.profiles);
    writeProfiles(env, { ...profiles, current: profiles.current === name ? nextProfile : profiles.current });
    return { profile: name, server, revoked: isRevoked };
  },
  text: ({ profile, server, revoked }) =>
    `Logged out of ${server}. The profile "${profile}" was removed; its token ${revoked ? 'is revoked' : 'stays valid until you revoke it'}.`,
});
