import type { EventRow } from '../../record/events/store.ts';
import {
  type Flag,
  type FlagEnvironment,
  newFlag,
  newFlagEnvironment,
  type Strategy,
  type World,
} from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the event's type determines its payload
type Payload = any;
type ReplayedEvent = {
  world: World;
  data: Payload;
  preData: Payload;
  featureName: string;
  environment: string;
};

/** Rebuilds the world from a project's events alone, oldest first. */
export function replay(events: EventRow[]): World {
  const world: World = { environments: [], defaults: {}, flags: {} };
  for (const event of events) {
    const apply = APPLY[event.type];
    if (!apply) throw new Error(`No function replays ${event.type}`);
    apply({
      world,
      data: event.data,
      preData: event.preData,
      featureName: event.featureName ?? '',
      environment: event.environment ?? '',
    });
  }
  return world;
}

const APPLY: Record<string, (event: ReplayedEvent) => void> = {
  'project-created': ({ world, data }) => {
    world.environments = data.environments.toSorted();
  },
  'project-environment-added': ({ world, environment }) => {
    world.environments = [...world.environments, environment].toSorted();
    for (const flag of Object.values(world.flags)) flag.environments[environment] = newFlagEnvironment();
  },
  'project-environment-removed': ({ world, environment }) => {
    world.environments = world.environments.filter(name => name !== environment);
    delete world.defaults[environment];
    for (const flag of Object.values(world.flags)) delete flag.environments[environment];
  },
  'default-strategy-updated': ({ world, environment, data }) => {
    world.defaults[environment] = data;
  },
  'tag-created': () => {},
  'features-imported': () => {},
  'feature-created': ({ world, featureName, data }) => {
    world.flags[featureName] = { ...newFlag(world.environments), ...pickFields(data) };
  },
  'feature-metadata-updated': event => {
    Object.assign(requireFlag(event), pickFields(event.data));
  },
  'feature-deleted': ({ world, featureName }) => {
    delete world.flags[featureName];
  },
  'feature-archived': event => {
    requireFlag(event).archived = true;
  },
  'feature-revived': event => {
    Object.assign(requireFlag(event), { archived: false, completed: null });
  },
  'feature-stale-on': event => {
    requireFlag(event).stale = true;
  },
  'feature-stale-off': event => {
    requireFlag(event).stale = false;
  },
  'feature-completed': event => {
    requireFlag(event).completed = event.data.status;
  },
  'feature-uncompleted': event => {
    requireFlag(event).completed = null;
  },
  'feature-tagged': event => {
    const flag = requireFlag(event);
    flag.tags = [...flag.tags, `${event.data.type}:${event.data.value}`].toSorted();
  },
  'feature-untagged': event => {
    const flag = requireFlag(event);
    flag.tags = flag.tags.filter(tag => tag !== `${event.preData.type}:${event.preData.value}`);
  },
  'feature-dependency-added': event => {
    const { feature, enabled, variants } = event.data;
    requireFlag(event).parents[feature] = { enabled, variants };
  },
  'feature-dependency-removed': event => {
    delete requireFlag(event).parents[event.preData.feature];
  },
  'feature-dependencies-removed': event => {
    requireFlag(event).parents = {};
  },
  'feature-environment-enabled': event => {
    requireFlagEnvironment(event).enabled = true;
  },
  'feature-environment-disabled': event => {
    requireFlagEnvironment(event).enabled = false;
  },
  'feature-environment-variants-updated': event => {
    requireFlagEnvironment(event).variants = event.data.variants;
  },
  'feature-strategy-add': event => {
    const flagEnvironment = requireFlagEnvironment(event);
    flagEnvironment.strategies = [...flagEnvironment.strategies, event.data];
  },
  'feature-strategy-update': event => {
    const flagEnvironment = requireFlagEnvironment(event);
    flagEnvironment.strategies = flagEnvironment.strategies.map(strategy =>
      strategy.id === event.data.id ? event.data : strategy,
    );
  },
  'feature-strategy-remove': event => {
    const flagEnvironment = requireFlagEnvironment(event);
    flagEnvironment.strategies = flagEnvironment.strategies.filter(
      strategy => strategy.id !== event.preData.id,
    );
  },
  'strategy-order-changed': event => {
    const flagEnvironment = requireFlagEnvironment(event);
    const sortOrders = new Map<string, number>(
      event.data.strategyIds.map((id: string, index: number) => [id, event.data.sortOrders[index]]),
    );
    const withSortOrder = (strategy: Strategy) => ({
      ...strategy,
      sortOrder: sortOrders.get(strategy.id) ?? strategy.sortOrder,
    });
    flagEnvironment.strategies = flagEnvironment.strategies.map(withSortOrder);
  },
};

const pickFields = ({ type, description, impressionData, stale, archived }: Payload) => ({
  type,
  description,
  impressionData,
  stale,
  archived,
});

function requireFlag({ world, featureName }: ReplayedEvent): Flag {
  const flag = world.flags[featureName];
  if (!flag) throw new Error(`An event for flag "${featureName}" precedes its creation`);
  return flag;
}

function requireFlagEnvironment(event: ReplayedEvent): FlagEnvironment {
  const flagEnvironment = requireFlag(event).environments[event.environment];
  if (!flagEnvironment)
    throw new Error(
      `An event for flag "${event.featureName}" names environment "${event.environment}", which the flag does not have`,
    );
  return flagEnvironment;
}
