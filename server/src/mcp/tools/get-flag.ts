import { Type } from 'typebox';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Feature } from '../../flags/features/schema.ts';
import type { EventSearchResult } from '../event-lines.ts';
import { by } from '../event-lines.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { flagUrl, projectOf } from '../place.ts';
import { fitting, named } from '../shown.ts';
import { strategyWords } from '../strategy-words.ts';
import { tool } from '../tool.ts';

const MAX_STRATEGIES = 10;
const MAX_NAMES = 10;

export const getFlag = tool({
  name: 'get_flag',
  title: 'Get a flag',
  description:
    'Returns a flag: its state, its environments with strategies in words, variants, parents, children, tags and the last change.',
  effect: 'reads',
  input: Arguments({ flag: Flag, environment: Type.Optional(Environment) }),
  run: async (call, { flag, environment }) => {
    const project = await projectOf(call, flag);
    const feature = await call.read<Feature>('getFeature', {
      params: { projectId: project, featureName: flag },
    });
    const chosen = feature.environments.filter(
      ({ name }) => environment === undefined || name === environment,
    );
    if (chosen.length === 0 && environment !== undefined)
      throw notFound(`Environment "${environment}" of flag "${flag}"`);
    const { events } = await call.read<EventSearchResult>('searchEvents', {
      query: { feature: `IS:${flag}`, limit: '1' },
    });
    const [last] = events;
    const environments = chosen.map(({ name, type, enabled, strategies, variants, lastSeenAt }) => ({
      name,
      type,
      enabled,
      strategies: strategies
        .slice(0, MAX_STRATEGIES)
        .map(strategy => ({ id: strategy.id, summary: strategyWords(strategy) })),
      ...(strategies.length > MAX_STRATEGIES && { moreStrategies: strategies.length - MAX_STRATEGIES }),
      ...(variants.length > 0 && { variants: variants.slice(0, MAX_NAMES).map(one => one.name) }),
      lastSeen: lastSeenAt,
    }));
    const fit = fitting(environments, 3_000);
    return {
      name: feature.name,
      project,
      description: feature.description ?? undefined,
      type: feature.type,
      stage: feature.lifecycle.stage,
      stale: feature.stale,
      ...(feature.archivedAt !== undefined && { archived: true }),
      environments: fit,
      ...(fit.length < environments.length && {
        omittedEnvironments: environments.slice(fit.length, fit.length + MAX_NAMES).map(({ name }) => name),
      }),
      ...(feature.dependencies.length > 0 && {
        parents: feature.dependencies.slice(0, MAX_NAMES).map(one => one.feature),
      }),
      ...(feature.children.length > 0 && { children: feature.children.slice(0, MAX_NAMES) }),
      ...(feature.tags.length > 0 && {
        tags: feature.tags.slice(0, MAX_NAMES).map(({ type, value }) => `${type}:${value}`),
      }),
      ...(last && { lastChange: { event: last.id, at: last.createdAt, by: by(last) } }),
      url: flagUrl(call, project, flag),
    };
  },
  text: flag => [
    `Flag ${named(flag.name)}, project ${named(flag.project)}, ${flag.type}, stage ${flag.stage}${flag.archived ? ', archived' : ''}${flag.stale ? ', stale' : ''}`,
    ...(flag.description === undefined ? [] : [`description (data): ${named(flag.description)}`]),
    ...flag.environments.flatMap(({ name, enabled, strategies, variants }) => [
      `${named(name)}: ${enabled ? 'enabled' : 'disabled'}${variants ? `, variants ${variants.map(named).join(', ')}` : ''}`,
      ...strategies.map(({ id, summary }) => `  ${id}: ${summary}`),
    ]),
    ...(flag.parents ? [`parents: ${flag.parents.map(named).join(', ')}`] : []),
    ...(flag.children ? [`children: ${flag.children.map(named).join(', ')}`] : []),
    ...(flag.lastChange
      ? [`last change: event ${flag.lastChange.event} at ${flag.lastChange.at} by ${flag.lastChange.by}`]
      : []),
    flag.url,
  ],
});
