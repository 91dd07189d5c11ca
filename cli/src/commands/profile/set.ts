import { command } from '../../command.ts';
import { chosenProfile } from '../../connection.ts';
import { notLoggedIn, wrongUse } from '../../errors.ts';
import { fields } from '../../output.ts';
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
  run: async ({ env, given }, _args, { project, environment }) => {
    if (project === undefined && environment === undefined)
      throw wrongUse('Nothing to set.', 'Use --project or --environment.');
    const [name, profile] = chosenProfile(env, given.profile) ?? [];
    if (name === undefined || profile === undefined)
      throw notLoggedIn('You are not logged in.', 'Run halyard login.');
    const next = {
      ...profile,
      ...(project !== undefined && { project }),
      ...(environment !== undefined && { environment }),
    };
    if (!next.project) delete next.project;
    if (!next.environment) delete next.environment;
    const all = readProfiles(env);
    all.profiles[name] = next;
    writeProfiles(env, all);
    return {
      profile: name,
      ...(next.project && { project: next.project }),
      ...(next.environment && { environment: next.environment }),
    };
  },
  text: ({ profile, project, environment }, context) =>
    fields(context, { Profile: profile, Project: project ?? 'none', Environment: environment ?? 'none' }),
});
