import { command } from '../../command.ts';
import { fields, time } from '../../output.ts';
import { data } from '../../requests.ts';

export const projectsShow = command({
  name: 'projects show',
  brief: 'Show a project with its settings',
  args: { project: { brief: 'Id of the project', complete: 'projects' } },
  calls: ['getProject'],
  output: 'Project',
  examples: [{ does: 'Show a project', run: 'projects show payments' }],
  page: (_context, { project }) => `/projects/${encodeURIComponent(project)}`,
  run: async (context, { project }) =>
    await data(
      context.read.GET('/api/admin/projects/{projectId}', { params: { path: { projectId: project } } }),
    ),
  text: (one, context) =>
    fields(context, {
      Id: one.id,
      Name: one.name,
      Description: one.description,
      Mode: one.mode,
      Environments: one.environments.join(', '),
      Members: one.members,
      'Comment required': one.requireComment ? 'yes' : 'no',
      Created: time(one.createdAt),
      Archived: time(one.archivedAt),
    }),
});
