import { command } from '../../command.ts';
import { findProfile } from '../../connection.ts';
import { readProfiles, writeProfiles } from '../../profiles.ts';

export const profileUse = command({
  name: 'profile use',
  brief: 'Choose the profile that commands use',
  args: { name: { brief: 'Name of the profile', complete: 'profiles' } },
  calls: [],
  output: { type: 'object', required: ['current'], properties: { current: { type: 'string' } } },
  examples: [{ does: 'Work with the profile "test"', run: 'profile use test' }],
  run: async ({ env }, { name }) => {
    findProfile(env, name); // Throws if the profile does not exist.
    writeProfiles(env, { ...readProfiles(env), current: name });
    return { current: name };
  },
  text: ({ current }) => `Commands now use the profile "${current}".`,
});
