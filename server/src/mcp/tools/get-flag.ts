import { notFound } from '@halyard/plane/platform/errors.ts';
import { Type } from 'typebox';
import type { Feature } from '../../flags/features/schema.ts';
import { describeStrategy } from '../describe-strategy.ts';
import type { EventSearchResult } from '../event-lines.ts';
import { describeActor } from '../event-lines.ts';
import { buildFlagUrl, findFlagProject } from '../flag-location.ts';
import { Arguments, Environment, Flag } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
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
    const project = await findFlagProject(call, flag);
    const feature = await call.read<Feature>('getFeature', {
      params: { projectId: project, featureName: flag },
    });
    const selectedEnvironments = feature.environments.filter(
      ({ name }) => environment === undefined || name === environment,
    );
    if (selectedEnvironments.length === 0 && environment !== undefined)
      throw notFound(`Environment "${environment}" of flag "${flag}"`);
    const { events } = await call.read<EventSearchResult>('searchEvents', {
      query: { feature: `IS:${flag}`, limit: '1' },
    });
    const [lastEvent] = events;
    const environments = selectedEnvironments.map(
      ({ name, type, enabled, strategies, variants, lastSeenAt }) => ({
        name,
        type,
        enabled,
        strategies: strategies
          .slice(0, MAX_STRATEGIES)
          .map(strategy => ({ id: strategy.id, summary: describeStrategy(strategy) })),
        ...(strategies.length > MAX_STRATEGIES && { moreStrategies: strategies.length - MAX_STRATEGIES }),
        ...(variants.length > 0 && { variants: variants.slice(0, MAX_NAMES).map(variant => variant.name) }),
        lastSeen: lastSeenAt,
      }),
    );
    const fitting = takeFittingItems(environments, 3_000);
    return {
      name: feature.name,
      project,
      description: feature.description ?? undefined,
      type: feature.type,
      stage: feature.lifecycle.stage,
      stale: feature.stale,
      ...(feature.archivedAt !== undefined && { archived: true }),
      environments: fitting,
      ...(fitting.length < environments.length && {
        omittedEnvironments: environments
          .slice(fitting.length, fitting.length + MAX_NAMES)
          .map(({ name }) => name),
      }),
      ...(feature.dependencies.length > 0 && {
        parents: feature.dependencies.slice(0, MAX_NAMES).map(dependency => dependency.feature),
      }),
      ...(feature.children.length > 0 && { children: feature.children.slice(0, MAX_NAMES) }),
      ...(feature.tags.length > 0 && {
        tags: feature.tags.slice(0, MAX_NAMES).map(({ type, value }) => `${type}:${value}`),
      }),
      ...(lastEvent && {
        lastChange: { event: lastEvent.id, at: lastEvent.createdAt, by: describeActor(lastEvent) },
      }),
      url: buildFlagUrl(call, project, flag),
    };
  },
  text: flag => [
    `Flag ${quoteName(flag.name)}, project ${quoteName(flag.project)}, ${flag.type}, stage ${flag.stage}${flag.archived ? ', archived' : ''}${flag.stale ? ', stale' : ''}`,
    ...(flag.description === undefined ? [] : [`description (data): ${quoteName(flag.description)}`]),
    ...flag.environments.flatMap(({ name, enabled, strategies, variants }) => [
      `${quoteName(name)}: ${enabled ? 'enabled' : 'disabled'}${variants ? `, variants ${variants.map(quoteName).join(', ')}` : ''}`,
      ...strategies.map(({ id, summary }) => `  ${id}: ${summary}`),
    ]),
    ...(flag.parents ? [`parents: ${flag.parents.map(quoteName).join(', ')}`] : []),
    ...(flag.children ? [`children: ${flag.children.map(quoteName).join(', ')}`] : []),
    ...(flag.lastChange
      ? [`last change: event ${flag.lastChange.event} at ${flag.lastChange.at} by ${flag.lastChange.by}`]
      : []),
    flag.url,
  ],
});
