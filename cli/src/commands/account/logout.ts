import { revokeGranted } from '../../authorization.ts';
import { command } from '../../command.ts';
import { chosenProfile } from '../../connection.ts';
import { notLoggedIn } from '../../errors.ts';
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
    const { env, given } = context;
    const [name, profile] = chosenProfile(env, given.profile) ?? [];
    if (name === undefined || profile === undefined) throw notLoggedIn('You are not logged in.');
    const { server, token } = profile;
    const revoked = profile.granted === true && (await revokeGranted(context, server, token));
    const all = readProfiles(env);
    delete all.profiles[name];
    const [next = 'default'] = Object.keys(all.profiles);
    writeProfiles(env, { ...all, current: all.current === name ? next : all.current });
    return { profile: name, server, revoked };
  },
  text: ({ profile, server, revoked }) =>
    `Logged out of ${server}. The profile "${profile}" was removed; its token ${revoked ? 'is revoked' : 'stays valid until you revoke it'}.`,
});
