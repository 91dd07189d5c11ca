import { Type } from 'typebox';
import type { FeatureSearchResult, FoundFeature } from '../../flags/feature-search/schema.ts';
import { buildFlagUrl } from '../flag-location.ts';
import { Arguments, Cursor, DEFAULT_LIMIT, Environment, Limit, Project } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { type Call, tool } from '../tool.ts';

const MAX_QUERY_LENGTH = 100;

export const findFlags = tool({
  name: 'find_flags',
  title: 'Find flags',
  description:
    'Finds flags by a substring of their name, description or tags, and by project, state, tag, or whether they are enabled in an environment.',
  effect: 'reads',
  input: Arguments({
    query: Type.Optional(
      Type.String({ maxLength: MAX_QUERY_LENGTH, description: 'Substring; a comma separates alternatives' }),
    ),
    project: Type.Optional(Project),
    state: Type.Optional(Type.Enum(['active', 'stale', 'archived'])),
    tag: Type.Optional(Type.String({ maxLength: 101, description: 'type:value' })),
    environment: Type.Optional(Environment),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether enabled in environment' })),
    limit: Limit,
    cursor: Cursor,
  }),
  run: async (
    call,
    { query, project, state, tag, environment, enabled = true, limit = DEFAULT_LIMIT, cursor = 0 },
  ) => {
    const { features, total } = await call.read<FeatureSearchResult>('searchFeatures', {
      query: {
        ...(query !== undefined && { query }),
        ...(project !== undefined && { project: `IS:${project}` }),
        ...(state !== undefined && state !== 'archived' && { state: `IS:${state}` }),
        ...(state === 'archived' && { archived: 'IS:true' }),
        ...(tag !== undefined && { tag: `INCLUDE:${tag}` }),
        ...(environment !== undefined && { status: [`${environment}:${enabled ? 'enabled' : 'disabled'}`] }),
        sortBy: 'name',
        limit: String(limit),
        offset: String(cursor),
      },
    });
    const flags = takeFittingItems(features.map(feature => summarizeFlag(call, feature)));
    const next = cursor + flags.length;
    return { flags, total, ...(next < total && flags.length > 0 && { next }) };
  },
  text: ({ flags, total, next }) => [
    `${total} found${next === undefined ? '' : `, next page: cursor ${next}`}`,
    ...flags.map(
      ({ name, project, type, stale, archived, enabled, lastSeen }) =>
        `${quoteName(name)} project ${quoteName(project)}, ${type}${archived ? ', archived' : ''}${stale ? ', stale' : ''}; enabled in: ${
          enabled.map(quoteName).join(', ') || 'none'
        }${lastSeen === undefined ? '; never seen' : `; last seen ${lastSeen}`}`,
    ),
  ],
});

const summarizeFlag = (
  call: Call,
  { name, project, type, stale, archivedAt, environments, lastSeenAt }: FoundFeature,
) => ({
  name,
  project,
  type,
  ...(stale && { stale }),
  ...(archivedAt !== undefined && { archived: true }),
  enabled: environments.filter(({ enabled }) => enabled).map(environment => environment.name),
  lastSeen: lastSeenAt,
  url: buildFlagUrl(call, project, name),
});
