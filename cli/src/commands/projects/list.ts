import { command } from '../../command.ts';
import { list, time } from '../../output.ts';
import { data } from '../../requests.ts';

export const projectsList = command({
  name: 'projects list',
  brief: 'List projects',
  options: { archived: { type: 'flag', brief: 'List archived projects instead' } },
  calls: ['getProjects'],
  output: 'ProjectList',
  examples: [{ does: 'All projects that you may see', run: 'projects list' }],
  page: () => '/projects',
  run: async (context, _args, { archived }) => {
    const query = archived ? { archived: 'true' as const } : {};
    return await data(context.read.GET('/api/admin/projects', { params: { query } }));
  },
  text: ({ projects }, context) =>
    list(context, {
      header: ['id', 'flags', 'stale', 'health', 'last change', 'name'],
      rows: projects.map(one => [
        one.id,
        one.featureCount,
        one.staleFeatureCount,
        `${one.health} %`,
        time(one.lastEventAt),
        one.name,
      ]),
      none: 'There are no projects that you may see.',
    }),
});
