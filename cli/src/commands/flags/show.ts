import type { schemas } from '../../api/api.gen.ts';
import { command } from '../../command.ts';
import { formatFields, formatTable, formatTime, sanitize } from '../../output.ts';
import { getData } from '../../requests.ts';
import { FLAG, findProject, flagPagePath, IN_PROJECT } from './find.ts';

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
  page: async (context, { flag }, { project }) =>
    flagPagePath(await findProject(context, flag, project), flag),
  run: async (context, { flag }, { project }) => {
    const path = { projectId: await findProject(context, flag, project), featureName: flag };
    return await getData(
      context.read.GET('/api/admin/projects/{projectId}/features/{featureName}', { params: { path } }),
    );
  },
  text: (flag, context) =>
    [
      formatFields(context, {
        Name: flag.name,
        Project: flag.project,
        Type: flag.type,
        Description: flag.description,
        Stage: flag.archived ? 'archived' : `${flag.lifecycle.stage}${flag.stale ? ', stale' : ''}`,
        Tags: flag.tags.map(tag => `${tag.type}:${tag.value}`).join(', '),
        Parents: flag.dependencies.map(dependency => dependency.feature).join(', '),
        Children: flag.children.join(', '),
        Created: `${formatTime(flag.createdAt)}${flag.createdBy ? ` by ${flag.createdBy.name}` : ''}`,
        'Last seen': formatTime(flag.lastSeenAt) || 'never',
      }),
      '',
      formatTable(
        context,
        ['environment', 'enabled', 'strategies'],
        flag.environments.map(environment => [
          environment.name,
          environment.enabled ? 'yes' : 'no',
          environment.strategies.map(describeStrategy).join('; ') || 'none',
        ]),
      ),
    ].join('\n'),
});

/** Describes a strategy in a few words. */
export function describeStrategy({
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
    ...(constraints.length > 0
      ? [`${constraints.map(constraint => constraint.contextName).join(', ')} constrained`]
      : []),
    ...(segments.length > 0 ? [`${segments.length} segment${segments.length === 1 ? '' : 's'}`] : []),
    ...(disabled ? ['disabled'] : []),
  ];
  return sanitize(title ? `${title}: ${parts.join(', ')}` : parts.join(', '));
}
