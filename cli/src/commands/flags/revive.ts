import { command } from '../../command.ts';
import { FLAG, findProject, IN_PROJECT } from './find.ts';

export const flagsRevive = command({
  name: 'flags revive',
  brief: 'Revive an archived flag, disabled in every environment',
  args: { flag: FLAG },
  options: { project: IN_PROJECT },
  writes: 'change',
  calls: ['searchFeatures', 'reviveFeatures'],
  output: {
    type: 'object',
    required: ['name', 'project', 'archived'],
    properties: { name: { type: 'string' }, project: { type: 'string' }, archived: { const: false } },
  },
  examples: [{ does: 'Undo halyard flags archive', run: 'flags revive checkout-v2' }],
  run: async (context, { flag }, { project: projectOption }) => {
    const project = await findProject(context, flag, projectOption);
    await context.write.POST('/api/admin/projects/{projectId}/revive', {
      params: { path: { projectId: project } },
      body: { features: [flag] },
    });
    return { name: flag, project, archived: false };
  },
  text: ({ name }) => `Revived flag "${name}". It is disabled in every environment.`,
});
