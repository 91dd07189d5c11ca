import { command } from '../../command.ts';
import { FLAG, findProject, IN_PROJECT } from './find.ts';

export const flagsStale = command({
  name: 'flags stale',
  brief: 'Mark a flag as stale, so that its code can be removed',
  args: { flag: FLAG },
  options: { project: IN_PROJECT, undo: { type: 'flag', brief: 'Unmark the flag' } },
  writes: 'change',
  calls: ['searchFeatures', 'markFeaturesStale'],
  output: {
    type: 'object',
    required: ['name', 'project', 'stale'],
    properties: { name: { type: 'string' }, project: { type: 'string' }, stale: { type: 'boolean' } },
  },
  examples: [
    { does: 'Mark a flag', run: 'flags stale checkout-v2' },
    { does: 'Unmark it', run: 'flags stale checkout-v2 --undo' },
  ],
  run: async (context, { flag }, { project: projectOption, undo }) => {
    const project = await findProject(context, flag, projectOption);
    const stale = !undo;
    await context.write.POST('/api/admin/projects/{projectId}/stale', {
      params: { path: { projectId: project } },
      body: { features: [flag], stale },
    });
    return { name: flag, project, stale };
  },
  text: ({ name, stale }) => `Flag "${name}" is ${stale ? 'marked as stale' : 'no longer marked as stale'}.`,
});
