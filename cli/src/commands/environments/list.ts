import { command } from '../../command.ts';
import { list } from '../../output.ts';
import { data } from '../../requests.ts';

export const environmentsList = command({
  name: 'environments list',
  brief: 'List environments',
  calls: ['getEnvironments'],
  output: 'EnvironmentList',
  examples: [{ does: 'All environments', run: 'environments list' }],
  page: () => '/admin/environments',
  run: async context => await data(context.read.GET('/api/admin/environments')),
  text: ({ environments }, context) =>
    list(context, {
      header: ['name', 'type', 'enabled', 'projects', 'enabled flags', 'SDK tokens'],
      rows: environments.map(one => [
        one.name,
        one.type,
        one.enabled ? 'yes' : 'no',
        one.projectCount,
        one.enabledToggleCount,
        one.apiTokenCount,
      ]),
      none: 'There are no environments.',
    }),
});
