import { command, limitOption, PROJECT } from '../../command.ts';
import { usageError } from '../../errors.ts';
import { formatList } from '../../output.ts';
import { getData } from '../../requests.ts';
import { requireProject } from './find.ts';

export const flagsList = command({
  name: 'flags list',
  brief: 'List or search flags',
  args: { search: { brief: 'Part of the name, the description or a tag', optional: true } },
  options: {
    project: PROJECT,
    state: { type: 'choice', choices: ['active', 'stale', 'archived'], brief: 'Only flags in this state' },
    type: { type: 'string', value: 'type', brief: 'Only flags of this type, such as release' },
    tag: {
      type: 'string',
      value: 'type:value',
      many: true,
      brief: 'Only flags with this tag; if repeated, flags with every tag',
    },
    enabledIn: {
      type: 'string',
      value: 'name',
      brief: 'Only flags that are enabled in this environment',
      complete: 'environments',
    },
    disabledIn: {
      type: 'string',
      value: 'name',
      brief: 'Only flags that are disabled in this environment',
      complete: 'environments',
    },
    sort: {
      type: 'choice',
      choices: ['name', 'createdAt', 'lastSeenAt', 'type', 'project'],
      default: 'name',
      brief: 'What to sort by',
    },
    limit: limitOption(1000, 100),
  },
  calls: ['searchFeatures', 'getProject'],
  output: 'FeatureSearchResult',
  examples: [
    {
      does: 'Flags of the project "payments" whose name or description contains "checkout"',
      run: 'flags list checkout --project payments',
    },
    { does: 'What is enabled in production?', run: 'flags list --enabled-in production' },
    {
      does: 'Only the names, for a script',
      run: "flags list --state stale -o json | jq -r '.features[].name'",
    },
  ],
  page: (context, _args, { project }) => {
    const id = context.projectIfSet(project);
    return id === undefined ? '/flags' : `/projects/${encodeURIComponent(id)}`;
  },
  run: async (
    context,
    { search },
    { project, state, type, tag, enabledIn, disabledIn, sort, limit: maxResults },
  ) => {
    // Rejected, because the server combines both with "or", which is never what users mean.
    if (enabledIn && disabledIn) throw usageError('Use --enabled-in or --disabled-in, not both.');
    const id = context.projectIfSet(project);
    const status = [
      ...(enabledIn ? [`${enabledIn}:enabled`] : []),
      ...(disabledIn ? [`${disabledIn}:disabled`] : []),
    ];
    const tags = tag ?? [];
    const query = {
      ...(search && { query: search }),
      ...(id && { project: `IS:${id}` }),
      ...(state === 'archived' ? { archived: 'IS:true' as const } : state && { state: `IS:${state}` }),
      ...(type && { type: `IS:${type}` }),
      ...(tags.length > 0 && { tag: `INCLUDE_ALL_OF:${tags.join(',')}` }),
      ...(status.length > 0 && { status }),
      sortBy: sort,
      limit: maxResults,
    };
    const result = await getData(context.read.GET('/api/admin/search/features', { params: { query } }));
    if (id !== undefined && result.total === 0) await requireProject(context, id);
    return result;
  },
  text: ({ features, total }, context) =>
    formatList(context, {
      header: ['name', 'project', 'type', 'stage', 'enabled in', 'description'],
      rows: features.map(feature => [
        feature.name,
        feature.project,
        feature.type,
        feature.archivedAt
          ? 'archived'
          : feature.stale
            ? `${feature.lifecycle.stage}, stale`
            : feature.lifecycle.stage,
        feature.environments
          .filter(env => env.enabled)
          .map(env => env.name)
          .join(', ') || '-',
        feature.description ?? '',
      ]),
      none: 'No flags match.',
      total,
    }),
});
