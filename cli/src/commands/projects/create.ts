import { command } from '../../command.ts';
import { getData } from '../../requests.ts';

export const projectsCreate = command({
  name: 'projects create',
  brief: 'Create a project',
  args: { project: { brief: 'Id of the project, as in URLs' } },
  options: {
    name: { type: 'string', value: 'text', brief: 'Name to display. Default: the id' },
    description: { type: 'string', value: 'text', short: 'd', brief: 'What the project is for' },
    mode: {
      type: 'choice',
      choices: ['open', 'protected', 'private'],
      brief: 'Who can see and change it. Default: open',
    },
  },
  writes: 'change',
  calls: ['createProject'],
  output: 'Project',
  examples: [{ does: 'Create a project', run: 'projects create payments --name Payments' }],
  run: async (context, { project }, { name, description, mode }) => {
    const body = {
      id: project,
      name: name ?? project,
      ...(description !== undefined && { description }),
      ...(mode && { mode }),
    };
    return await getData(context.write.POST('/api/admin/projects', { body }));
  },
  text: ({ id }) => `Created project "${id}".`,
});
