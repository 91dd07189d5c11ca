import { command } from '../../command.ts';
import { formatFields, formatTime } from '../../output.ts';
import { getData } from '../../requests.ts';

export const projectsShow = command({
  name: 'projects show',
  brief: 'Show a project with its settings',
  args: { project: { brief: 'Id of the project', complete: 'projects' } },
  calls: ['getProject'],
  output: 'Project',
  examples: [{ does: 'Show a project', run: 'projects show payments' }],
  page: (_context, { project }) => `/projects/${encodeURIComponent(project)}`,
  run: async (context, { project }) =>
    await getData(
      context.read.GET('/api/admin/projects/{projectId}', { params: { path: { projectId: project } } }),
    ),
  text: (project, context) =>
    formatFields(context, {
      Id: project.id,
      Name: project.name,
      Description: project.description,
      Mode: project.mode,
      Environments: project.environments.join(', '),
      Members: project.members,
      'Comment required': project.requireComment ? 'yes' : 'no',
      Created: formatTime(project.createdAt),
      Archived: formatTime(project.archivedAt),
    }),
});
