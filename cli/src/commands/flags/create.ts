import { command, PROJECT } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { getData } from '../../requests.ts';

export const flagsCreate = command({
  name: 'flags create',
  brief: 'Create a flag, disabled in every environment',
  args: { flag: { brief: 'Name of the new flag' } },
  options: {
    project: PROJECT,
    type: { type: 'string', value: 'type', brief: 'Type, such as release, experiment or kill-switch' },
    description: { type: 'string', value: 'text', short: 'd', brief: 'What the flag is for' },
    tag: { type: 'string', value: 'type:value', many: true, brief: 'Tag; can be repeated' },
    impressionData: { type: 'flag', brief: 'SDKs report each evaluation to the application' },
  },
  writes: 'change',
  calls: ['createFeature'],
  output: 'Feature',
  examples: [
    {
      does: 'Create a flag',
      run: 'flags create checkout-v2 --project payments --description "New checkout"',
    },
  ],
  run: async (context, { flag }, { project, type, description, tag, impressionData }) => {
    const tags = (tag ?? []).map(text => {
      const colon = text.indexOf(':');
      if (colon < 1)
        throw usageError(
          `The tag ${JSON.stringify(text)} has no type. Write it as type:value, such as team:checkout.`,
        );
      return { type: text.slice(0, colon), value: text.slice(colon + 1) };
    });
    const body = {
      name: flag,
      ...(type && { type }),
      ...(description !== undefined && { description }),
      ...(impressionData && { impressionData }),
      ...(tags.length > 0 && { tags }),
    };
    const path = { projectId: context.project(project) };
    return await getData(
      context.write.POST('/api/admin/projects/{projectId}/features', { params: { path }, body }),
    );
  },
  text: ({ name, project }) =>
    `Created flag "${name}" in project "${project}". It is disabled everywhere; enable it with halyard flags on ${name} --environment <name>.`,
});
