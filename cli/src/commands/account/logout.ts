import { command } from '../../command.ts';
import { chosenProfile } from '../../connection.ts';
import { notLoggedIn } from '../../errors.ts';
import { readProfiles, writeProfiles } from '../../profiles.ts';

export const logout = command({
  name: 'logout',
  brief: 'Remove the stored token of a profile',
  description:
    'The token stays valid on the server. Revoke it in the console if you do not need it any more.',
  calls: [],
  output: {
    type: 'object',
    required: ['profile', 'server'],
    properties: { profile: { type: 'string' }, server: { type: 'string' } },
  },
  examples: [{ does: 'Remove the profile "test"', run: 'logout --profile test' }],
  run: async ({ env, given }) => {
    const [name, profile] = chosenProfile(env, given.profile) ?? [];
    if (name === undefined || profile === undefined) throw notLoggedIn('You are not logged in.');
    const all = readProfiles(env);
    delete all.profiles[name];
    const [next = 'default'] = Object.keys(all.profiles);
    writeProfiles(env, { ...all, current: all.current === name ? next : all.current });
    return { profile: name, server: profile.server };
  },
  text: ({ profile, server }) =>
    `Logged out of ${server}. The profile "${profile}" was removed; its token stays valid until you revoke it.`,
});
