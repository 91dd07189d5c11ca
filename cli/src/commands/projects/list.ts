import { command } from '../../command.ts';
import { formatList, formatTime } from '../../output.ts';
import { getData } from '../../requests.ts';

export const projectsList = command({
  name: 'projects list',
  brief: 'List projects',
  options: { archived: { type: 'flag', brief: 'List archived projects instead' } },
  calls: ['getProjects'],
  output: 'ProjectList',
  examples: [{ does: 'All projects that you can see', run: 'projects list' }],
  page: () => '/projects',
  run: async (context, _args, { archived }) => {
    const query = archived ? { archived: 'true' as const } : {};
    return await getData(context.read.GET('/api/admin/projects', { params: { query } }));
  },
  text: ({ projects }, context) =>
    formatList(context, {
      header: ['id', 'flags', 'stale', 'health', 'last change', 'name'],
      rows: projects.map(project => [
        project.id,
        project.featureCount,
        project.staleFeatureCount,
        `${project.health} %`,
        formatTime(project.lastEventAt),
        project.name,
      ]),
      none: 'There are no projects that you can see.',
    }),
});
