import type { EventRow } from '../../record/events/store.ts';
import { type Flag, newFlag, newPlace, type Place, type Strategy, type World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads are told apart by the type of their event
type Payload = any;
type Recorded = { world: World; data: Payload; preData: Payload; featureName: string; environment: string };

/** Rebuilds the world from nothing but a project's events, oldest first. */
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

const APPLY: Record<string, (recorded: Recorded) => void> = {
  'project-created': ({ world, data }) => {
    world.environments = data.environments.toSorted();
  },
  'project-environment-added': ({ world, environment }) => {
    world.environments = [...world.environments, environment].toSorted();
    for (const flag of Object.values(world.flags)) flag.environments[environment] = newPlace();
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
    world.flags[featureName] = { ...newFlag(world.environments), ...fieldsOf(data) };
  },
  'feature-metadata-updated': recorded => {
    Object.assign(flagOf(recorded), fieldsOf(recorded.data));
  },
  'feature-deleted': ({ world, featureName }) => {
    delete world.flags[featureName];
  },
  'feature-archived': recorded => {
    flagOf(recorded).archived = true;
  },
  'feature-revived': recorded => {
    Object.assign(flagOf(recorded), { archived: false, completed: null });
  },
  'feature-stale-on': recorded => {
    flagOf(recorded).stale = true;
  },
  'feature-stale-off': recorded => {
    flagOf(recorded).stale = false;
  },
  'feature-completed': recorded => {
    flagOf(recorded).completed = recorded.data.status;
  },
  'feature-uncompleted': recorded => {
    flagOf(recorded).completed = null;
  },
  'feature-tagged': recorded => {
    const flag = flagOf(recorded);
    flag.tags = [...flag.tags, `${recorded.data.type}:${recorded.data.value}`].toSorted();
  },
  'feature-untagged': recorded => {
    const flag = flagOf(recorded);
    flag.tags = flag.tags.filter(tag => tag !== `${recorded.preData.type}:${recorded.preData.value}`);
  },
  'feature-dependency-added': recorded => {
    const { feature, enabled, variants } = recorded.data;
    flagOf(recorded).parents[feature] = { enabled, variants };
  },
  'feature-dependency-removed': recorded => {
    delete flagOf(recorded).parents[recorded.preData.feature];
  },
  'feature-dependencies-removed': recorded => {
    flagOf(recorded).parents = {};
  },
  'feature-environment-enabled': recorded => {
    placeOf(recorded).enabled = true;
  },
  'feature-environment-disabled': recorded => {
    placeOf(recorded).enabled = false;
  },
  'feature-environment-variants-updated': recorded => {
    placeOf(recorded).variants = recorded.data.variants;
  },
  'feature-strategy-add': recorded => {
    const place = placeOf(recorded);
    place.strategies = [...place.strategies, recorded.data];
  },
  'feature-strategy-update': recorded => {
    const place = placeOf(recorded);
    place.strategies = place.strategies.map(one => (one.id === recorded.data.id ? recorded.data : one));
  },
  'feature-strategy-remove': recorded => {
    const place = placeOf(recorded);
    place.strategies = place.strategies.filter(one => one.id !== recorded.preData.id);
  },
  'strategy-order-changed': recorded => {
    const place = placeOf(recorded);
    const numbers = new Map<string, number>(
      recorded.data.strategyIds.map((id: string, at: number) => [id, recorded.data.sortOrders[at]]),
    );
    const numbered = (one: Strategy) => ({ ...one, sortOrder: numbers.get(one.id) ?? one.sortOrder });
    place.strategies = place.strategies.map(numbered);
  },
};

const fieldsOf = ({ type, description, impressionData, stale, archived }: Payload) => ({
  type,
  description,
  impressionData,
  stale,
  archived,
});

function flagOf({ world, featureName }: Recorded): Flag {
  const flag = world.flags[featureName];
  if (!flag) throw new Error(`event about flag ${featureName} before its creation`);
  return flag;
}

function placeOf(recorded: Recorded): Place {
  const place = flagOf(recorded).environments[recorded.environment];
  if (!place)
    throw new Error(
      `event about ${recorded.featureName} in ${recorded.environment}, where the flag does not exist`,
    );
  return place;
}
