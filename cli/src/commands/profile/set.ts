import { command } from '../../command.ts';
import { findProfile } from '../../connection.ts';
import { notLoggedInError, usageError } from '../../errors.ts';
import { formatFields } from '../../output.ts';
import { readProfiles, writeProfiles } from '../../profiles.ts';

export const profileSet = command({
  name: 'profile set',
  brief: 'Set the default project and environment of a profile',
  options: {
    project: {
      type: 'string',
      value: 'id',
      short: 'p',
      brief: 'Project; an empty string removes it',
      complete: 'projects',
    },
    environment: {
      type: 'string',
      value: 'name',
      short: 'e',
      brief: 'Environment; an empty string removes it',
      complete: 'environments',
    },
  },
  calls: [],
  output: {
    type: 'object',
    required: ['profile'],
    properties: { profile: { type: 'string' }, project: { type: 'string' }, environment: { type: 'string' } },
  },
  examples: [{ does: 'Use the project "payments" from now on', run: 'profile set --project payments' }],
  run: async ({ env, sharedOptions }, _args, { project, environment }) => {
    if (project === undefined && environment === undefined)
      throw usageError('Nothing to set.', 'Use --project or --environment.');
    const [name, profile] = findProfile(env, sharedOptions.profile) ?? [];
    if (name === undefined || profile === undefined)
      throw notLoggedInError('You are not logged in.', 'Run halyard login.');
    const updatedProfile = {
      ...profile,
      ...(project !== undefined && { project }),
      ...(environment !== undefined && { environment }),
    };
    if (!updatedProfile.project) delete updatedProfile.project;
    if (!updatedProfile.environment) delete updatedProfile.environment;
    const profiles = readProfiles(env);
    profiles.profiles[name] = updatedProfile;
    writeProfiles(env, profiles);
    return {
      profile: name,
      ...(updatedProfile.project && { project: updatedProfile.project }),
      ...(updatedProfile.environment && { environment: updatedProfile.environment }),
    };
  },
  text: ({ profile, project, environment }, context) =>
    formatFields(context, {
      Profile: profile,
      Project: project ?? 'none',
      Environment: environment ?? 'none',
    }),
});
