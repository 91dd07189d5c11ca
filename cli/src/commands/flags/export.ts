import { command, PROJECT } from '../../command.ts';
import { readProject, readSegments, toFlagState } from './as-code/state.ts';

export const flagsExport = command({
  name: 'flags export',
  brief: 'Write the flags of a project as YAML, for halyard flags plan and apply',
  args: { flag: { brief: 'Only this flag', optional: true, complete: 'flags' } },
  options: { project: PROJECT },
  raw: true,
  calls: ['getFeatures', 'getSegments'],
  output: { type: 'string', description: 'YAML' },
  examples: [
    { does: 'Keep the flags of a project in Git', run: 'flags export --project payments > flags.yaml' },
  ],
  run: async (context, { flag }, { project: projectOption }) => {
    const project = context.project(projectOption);
    const segments = await readSegments(context);
    const features = (await readProject(context, project)).filter(
      ({ name }) => flag === undefined || name === flag,
    );
    const flags = Object.fromEntries(features.map(feature => [feature.name, toFlagState(feature, segments)]));
    const { stringify } = await import('yaml');
    return stringify({ project, flags }, { lineWidth: 120, aliasDuplicateObjects: false }).trimEnd();
  },
  text: text => text,
});
