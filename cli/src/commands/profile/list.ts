import { command } from '../../command.ts';
import { formatList } from '../../output.ts';
import { profilesFile, readProfiles } from '../../profiles.ts';

export const profileList = command({
  name: 'profile list',
  brief: 'List the servers that you are logged in to',
  calls: [],
  output: {
    type: 'object',
    required: ['profiles'],
    properties: {
      profiles: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'current', 'server'],
          properties: {
            name: { type: 'string' },
            current: { type: 'boolean' },
            server: { type: 'string' },
            project: { type: 'string' },
            environment: { type: 'string' },
          },
        },
      },
    },
  },
  examples: [{ does: 'Show all profiles', run: 'profile list' }],
  run: async ({ env }) => {
    const { current, profiles } = readProfiles(env);
    return {
      profiles: Object.entries(profiles).map(([name, { token: _, ...rest }]) => ({
        name,
        current: name === current,
        ...rest,
      })),
    };
  },
  text: ({ profiles }, context) =>
    formatList(context, {
      header: ['', 'name', 'server', 'project', 'environment'],
      rows: profiles.map(profile => [
        profile.current ? '*' : '',
        profile.name,
        profile.server,
        profile.project,
        profile.environment,
      ]),
      none: `There are no profiles in ${profilesFile(context.env)}. Run halyard login.`,
    }),
});
