import { command } from '../../command.ts';
import { FLAG, findProject, IN_PROJECT } from './find.ts';

export const flagsArchive = command({
  name: 'flags archive',
  brief: 'Archive a flag; SDKs no longer get it',
  description: 'An archived flag keeps its name and its history. To undo it, run halyard flags revive.',
  args: { flag: FLAG },
  options: { project: IN_PROJECT },
  writes: 'destructive',
  calls: ['searchFeatures', 'archiveFeature'],
  output: {
    type: 'object',
    required: ['name', 'project', 'archived'],
    properties: { name: { type: 'string' }, project: { type: 'string' }, archived: { const: true } },
  },
  examples: [
    { does: 'Archive a flag from a script', run: 'flags archive checkout-v2 --yes -m "The code is gone"' },
  ],
  run: async (context, { flag }, { project: projectOption }) => {
    const project = await findProject(context, flag, projectOption);
    await context.confirm(
      `This archives flag "${flag}" in project "${project}", and SDKs no longer get it.`,
      flag,
    );
    await context.write.DELETE('/api/admin/projects/{projectId}/features/{featureName}', {
      params: { path: { projectId: project, featureName: flag } },
    });
    return { name: flag, project, archived: true };
  },
  text: ({ name }) => `Archived flag "${name}". To undo it, run halyard flags revive ${name}.`,
});
