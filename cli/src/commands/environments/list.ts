import { command } from '../../command.ts';
import { formatList } from '../../output.ts';
import { getData } from '../../requests.ts';

export const environmentsList = command({
  name: 'environments list',
  brief: 'List environments',
  calls: ['getEnvironments'],
  output: 'EnvironmentList',
  examples: [{ does: 'All environments', run: 'environments list' }],
  page: () => '/admin/environments',
  run: async context => await getData(context.read.GET('/api/admin/environments')),
  text: ({ environments }, context) =>
    formatList(context, {
      header: ['name', 'type', 'enabled', 'projects', 'enabled flags', 'SDK tokens'],
      rows: environments.map(environment => [
        environment.name,
        environment.type,
        environment.enabled ? 'yes' : 'no',
        environment.projectCount,
        environment.enabledToggleCount,
        environment.apiTokenCount,
      ]),
      none: 'There are no environments.',
    }),
});
