import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { fields, plain, table, time } from '../../output.ts';
import { data } from '../../requests.ts';
import { FLAG, flagPage, IN_PROJECT, projectOf } from './find.ts';

export const flagsShow = command({
  name: 'flags show',
  brief: 'Show a flag with its environments and strategies',
  args: { flag: FLAG },
  options: { project: IN_PROJECT },
  calls: ['searchFeatures', 'getFeature'],
  output: 'Feature',
  examples: [
    { does: 'Show a flag', run: 'flags show checkout-v2' },
    { does: 'Open its page in the console', run: 'flags show checkout-v2 --web' },
  ],
  page: async (context, { flag }, { project }) => flagPage(await projectOf(context, flag, project), flag),
  run: async (context, { flag }, { project }) => {
    const path = { projectId: await projectOf(context, flag, project), featureName: flag };
    return await data(
      context.read.GET('/api/admin/projects/{projectId}/features/{featureName}', { params: { path } }),
    );
  },
  text: (flag, context) =>
    [
      fields(context, {
        Name: flag.name,
        Project: flag.project,
        Type: flag.type,
        Description: flag.description,
        Stage: flag.archived ? 'archived' : `${flag.lifecycle.stage}${flag.stale ? ', stale' : ''}`,
        Tags: flag.tags.map(tag => `${tag.type}:${tag.value}`).join(', '),
        Parents: flag.dependencies.map(one => one.feature).join(', '),
        Children: flag.children.join(', '),
        Created: `${time(flag.createdAt)}${flag.createdBy ? ` by ${flag.createdBy.name}` : ''}`,
        'Last seen': time(flag.lastSeenAt) || 'never',
      }),
      '',
      table(
        context,
        ['environment', 'enabled', 'strategies'],
        flag.environments.map(one => [
          one.name,
          one.enabled ? 'yes' : 'no',
          one.strategies.map(inWords).join('; ') || 'none',
        ]),
      ),
    ].join('\n'),
});

/** A strategy in a few words: its rule, and who gets the flag. */
export function inWords({
  name,
  title,
  disabled,
  parameters,
  constraints,
  segments,
}: schemas['FeatureStrategy']): string {
  const rollout = (parameters as Record<string, string>).rollout;
  const parts = [
    name === 'flexibleRollout' && rollout !== undefined ? `${rollout} %` : name,
    ...(constraints.length > 0 ? [`${constraints.map(one => one.contextName).join(', ')} constrained`] : []),
    ...(segments.length > 0 ? [`${segments.length} segment${segments.length === 1 ? '' : 's'}`] : []),
    ...(disabled ? ['disabled'] : []),
  ];
  return plain(title ? `${title}: ${parts.join(', ')}` : parts.join(', '));
}
